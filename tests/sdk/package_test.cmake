# Builds an outside project against Loci and runs its program in an empty directory.
#   PACKAGE   an install prefix or a build tree of Loci
#   SOURCE    the project
#   WORK      where to build it; what is there goes away first
#   PROGRAM   its executable
#   ARGUMENT  of the program, optional
#   COMPILER  for C++, optional: the test is skipped if it is not there
#   STANDARD  of C++, optional
include("${CMAKE_CURRENT_LIST_DIR}/run_or_fail.cmake")

set(options "")
if(COMPILER)
  find_program(compiler "${COMPILER}" NO_CACHE)
  if(NOT compiler)
    message(STATUS "skipped: there is no ${COMPILER}")
    return()
  endif()
  list(APPEND options "-DCMAKE_CXX_COMPILER=${compiler}" "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror")
endif()
if(STANDARD)
  list(APPEND options "-DCMAKE_CXX_STANDARD=${STANDARD}" -DCMAKE_CXX_STANDARD_REQUIRED=ON
       -DCMAKE_CXX_EXTENSIONS=OFF)
endif()

file(REMOVE_RECURSE "${WORK}")
run_or_fail("${CMAKE_COMMAND}" -S "${SOURCE}" -B "${WORK}" -G Ninja
            "-DCMAKE_PREFIX_PATH=${PACKAGE}" -DCMAKE_BUILD_TYPE=Release ${options})
run_or_fail("${CMAKE_COMMAND}" --build "${WORK}")
# The CPU plugin is found beside the library, another one where the argument says.
set(ENV{LOCI_PLUGIN_PATH} "")
file(MAKE_DIRECTORY "${WORK}/run")
run_or_fail("${CMAKE_COMMAND}" -E chdir "${WORK}/run" "${WORK}/${PROGRAM}" ${ARGUMENT})
