# Installs Loci for the tests of the package.
#   BUILD    a build tree of Loci
#   PREFIX   where to; what is there goes away first
include("${CMAKE_CURRENT_LIST_DIR}/run_or_fail.cmake")
file(REMOVE_RECURSE "${PREFIX}")
run_or_fail("${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${PREFIX}")

# What belongs to no program is there too: pages whose links lead somewhere, and a guide to all headers.
set(documents "${PREFIX}/share/doc/loci")
run_or_fail(python3 -B "${CMAKE_CURRENT_LIST_DIR}/../../tools/lint/pages.py" "${documents}")
foreach(file IN ITEMS LICENSE README.md sdk/README.md sdk/CHANGELOG.md framework/core/SETTINGS.md
        examples/plugin_opencl/CMakeLists.txt examples/plugin_opencl/kernels/matmul.cl)
  if(NOT EXISTS "${documents}/${file}")
    message(FATAL_ERROR "${documents}/${file} was not installed")
  endif()
endforeach()
file(READ "${documents}/sdk/README.md" guide)
file(GLOB headers RELATIVE "${PREFIX}/include/loci" "${PREFIX}/include/loci/abi/*.h"
     "${PREFIX}/include/loci/plugin/*.hpp")
foreach(header IN LISTS headers)
  get_filename_component(name "${header}" NAME)
  # The digest is made by the build; an object is what the other headers are made of.
  if(name MATCHES "^(digest.h|plugin_object.hpp)$")
    continue()
  endif()
  string(FIND "${guide}" "${name}`" at)
  if(at EQUAL -1)
    message(FATAL_ERROR "sdk/README.md does not tell of loci/${header}")
  endif()
endforeach()
