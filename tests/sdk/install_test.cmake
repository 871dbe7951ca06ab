# Installs Loci for the tests of the package.
#   BUILD    a build tree of Loci
#   PREFIX   where to; what is there goes away first
include("${CMAKE_CURRENT_LIST_DIR}/run_or_fail.cmake")
file(REMOVE_RECURSE "${PREFIX}")
run_or_fail("${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${PREFIX}")
