# loci_cuda_image(<variable> <file.cu>)
#
# Compiles a file of device code into a fat binary that the plugin carries, and sets <variable> to
# the source that has it: `extern "C" const unsigned long long loci_cuda_<stem>[]`. No runtime of
# CUDA's is needed, and no host code comes of it.
#
# LOCI_CUDA_ARCHITECTURES says what is in it, as CMAKE_CUDA_ARCHITECTURES does: "90-real" machine
# code, "80-virtual" PTX that the driver compiles for its device, "90" both.
set(LOCI_CUDA_ARCHITECTURES "80-virtual" CACHE STRING
  "What the kernels of the plugin cuda are compiled to, as in CMAKE_CUDA_ARCHITECTURES")

function(_loci_cuda_code_options variable)
  set(options "")
  foreach(architecture IN LISTS LOCI_CUDA_ARCHITECTURES)
    if(NOT architecture MATCHES "^([0-9]+[af]?)(-real|-virtual)?$")
      message(FATAL_ERROR
        "LOCI_CUDA_ARCHITECTURES: '${architecture}' is none; 80-virtual, 90-real and 90 are")
    endif()
    set(number "${CMAKE_MATCH_1}")
    set(kind "${CMAKE_MATCH_2}")
    if(NOT kind STREQUAL "-virtual")
      list(APPEND options -gencode "arch=compute_${number},code=sm_${number}")
    endif()
    if(NOT kind STREQUAL "-real")
      list(APPEND options -gencode "arch=compute_${number},code=compute_${number}")
    endif()
  endforeach()
  set(${variable} "${options}" PARENT_SCOPE)
endfunction()

function(loci_cuda_image variable source)
  cmake_path(GET source STEM stem)
  set(image "${CMAKE_CURRENT_BINARY_DIR}/${stem}.fatbin")
  set(words "${CMAKE_CURRENT_BINARY_DIR}/${stem}_words.inc")
  set(embedded "${CMAKE_CURRENT_BINARY_DIR}/${stem}_image.cc")
  # Declared first: a constant has no linkage otherwise.
  file(CONFIGURE OUTPUT "${embedded}" @ONLY CONTENT [=[
extern "C" const unsigned long long loci_cuda_@stem@[];
#include "@words@"
]=])
  _loci_cuda_code_options(code)
  loci_nvcc(nvcc)
  set(warnings $<$<BOOL:${LOCI_WERROR}>:-Werror=all-warnings>)
  # Products and sums are fused where the source says so, and alike wherever it is inlined.
  # -lineinfo lets errors name the line. Not every reader of fat binaries can decompress.
  add_custom_command(
    OUTPUT "${words}"
    BYPRODUCTS "${image}"
    COMMAND ${nvcc} -std=c++20 -fatbin --no-compress ${code}
      -fmad=false -lineinfo ${warnings} "-I${CMAKE_CURRENT_SOURCE_DIR}"
      "-I${PROJECT_SOURCE_DIR}/sdk/include"
      -MD -MF "${image}.d" -MT "${stem}_words.inc"
      -c "${CMAKE_CURRENT_SOURCE_DIR}/${source}" -o "${image}"
    COMMAND "${CUDAToolkit_BIN_DIR}/bin2c" --const --type longlong --name "loci_cuda_${stem}"
      "${image}" > "${words}"
    DEPENDS "${source}"
    DEPFILE "${image}.d"
    COMMENT "Compiling ${source} for CUDA devices"
    COMMAND_EXPAND_LISTS
    VERBATIM)
  set_source_files_properties("${embedded}" PROPERTIES
    SKIP_UNITY_BUILD_INCLUSION ON SKIP_PRECOMPILE_HEADERS ON OBJECT_DEPENDS "${words}")
  set(${variable} "${embedded}" PARENT_SCOPE)
endfunction()
