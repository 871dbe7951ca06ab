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
