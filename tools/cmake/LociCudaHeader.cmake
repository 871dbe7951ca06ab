# The target loci_cuda_header, with cuda.h of the CUDA toolkit, where one of 13.0 or newer is found.
# Nothing links the driver: it is opened at run time, or is what is built. Without the toolkit what
# needs its types is left out, and this says so once.
#
# LOCI_CUDADEVRT_FOLDER is the folder of libcudadevrt.a, or empty.
set(LOCI_CUDADEVRT_FOLDER "")
find_package(CUDAToolkit 13.0 QUIET)
if(CUDAToolkit_FOUND)
  add_library(loci_cuda_header INTERFACE)
  target_include_directories(loci_cuda_header SYSTEM INTERFACE ${CUDAToolkit_INCLUDE_DIRS})
  find_library(LOCI_CUDADEVRT libcudadevrt.a
    HINTS "${CUDAToolkit_LIBRARY_DIR}" "${CUDAToolkit_LIBRARY_ROOT}/lib64")
  mark_as_advanced(LOCI_CUDADEVRT)
  if(LOCI_CUDADEVRT)
    cmake_path(GET LOCI_CUDADEVRT PARENT_PATH LOCI_CUDADEVRT_FOLDER)
  endif()
else()
  message(STATUS "[loci] no CUDA toolkit of 13.0 or newer: the driver's double and its rules are left out")
endif()
