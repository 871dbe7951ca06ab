# loci_nvcc(<variable>): the command that compiles device code, nvcc behind ccache where that is
# there, for add_custom_command(). ccache takes only what has -c, which nvcc allows beside -ptx and
# -fatbin. Paths in the command may be absolute; one after -MT is best relative, since ccache
# compares it as it is, and the same code in another build folder is then found too.
#
# CMake's own language CUDA is not used: it wants a runtime of CUDA's and a host compiler's objects.
function(loci_nvcc variable)
  set(command "${CUDAToolkit_NVCC_EXECUTABLE}")
  if(LOCI_CCACHE)
    list(PREPEND command "${LOCI_CCACHE}")
  endif()
  set(${variable} "${command}" PARENT_SCOPE)
endfunction()

# loci_embedded_ptx(<variable> <file.cu> <symbol> <depends>...): a source file with that kernel's PTX
# as the bytes `extern "C" const unsigned char <symbol>[]`, for the driver to compile when it is loaded.
function(loci_embedded_ptx variable kernel symbol)
  cmake_path(GET kernel STEM stem)
  set(ptx "${CMAKE_CURRENT_BINARY_DIR}/${stem}.ptx")
  set(bytes "${CMAKE_CURRENT_BINARY_DIR}/${stem}_bytes.inc")
  set(embedded "${CMAKE_CURRENT_BINARY_DIR}/${stem}_image.cc")
  # Declared first: a constant has no linkage otherwise.
  file(CONFIGURE OUTPUT "${embedded}" @ONLY CONTENT [=[
extern "C" const unsigned char @symbol@[];
#include "@bytes@"
]=])
  loci_nvcc(nvcc)
  add_custom_command(
    OUTPUT "${bytes}"
    BYPRODUCTS "${ptx}"
    COMMAND ${nvcc} -std=c++20 -ptx -arch=compute_80 -lineinfo
      $<$<BOOL:${LOCI_WERROR}>:-Werror=all-warnings> "-I${PROJECT_SOURCE_DIR}"
      -c "${CMAKE_CURRENT_SOURCE_DIR}/${kernel}" -o "${ptx}"
    COMMAND "${CUDAToolkit_BIN_DIR}/bin2c" --const --padd 0 --name ${symbol} "${ptx}" > "${bytes}"
    DEPENDS "${kernel}" ${ARGN}
    COMMENT "Compiling ${kernel} to PTX"
    COMMAND_EXPAND_LISTS
    VERBATIM)
  set_source_files_properties("${embedded}" PROPERTIES OBJECT_DEPENDS "${bytes}")
  set(${variable} "${embedded}" PARENT_SCOPE)
endfunction()
