# Builds a plugin in a project of C alone against Loci. It has to pass `loci verify`, for which it
# needs its manifest.
#   PACKAGE   an install prefix or a build tree of Loci
#   RUNNER    its runner
#   SOURCE    the project
#   WORK      where to build it; what is there goes away first
include("${CMAKE_CURRENT_LIST_DIR}/run_or_fail.cmake")
file(REMOVE_RECURSE "${WORK}")
set(ENV{LOCI_PLUGIN_PATH} "")
run_or_fail("${CMAKE_COMMAND}" -S "${SOURCE}" -B "${WORK}" -G Ninja
            "-DCMAKE_PREFIX_PATH=${PACKAGE}" -DCMAKE_BUILD_TYPE=Release
            "-DCMAKE_C_FLAGS=-Wall -Wextra -Werror")
run_or_fail("${CMAKE_COMMAND}" --build "${WORK}")
run_or_fail("${RUNNER}" verify "${WORK}/lib/loci/plugins/loci-plain_c.so"
            --level abi,life,mem,order,fault)
