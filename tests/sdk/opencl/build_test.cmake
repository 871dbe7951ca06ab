# Builds a plugin against an installation, with warnings as errors.
#   PACKAGE   an install prefix of Loci
#   SOURCE    the plugin's project
#   WORK      where to build it; what is there goes away first
include("${CMAKE_CURRENT_LIST_DIR}/../run_or_fail.cmake")
file(REMOVE_RECURSE "${WORK}")
run_or_fail("${CMAKE_COMMAND}" -S "${SOURCE}" -B "${WORK}" -G Ninja
            "-DCMAKE_PREFIX_PATH=${PACKAGE}" -DCMAKE_BUILD_TYPE=Release
            "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror" -DCMAKE_CXX_EXTENSIONS=OFF)
run_or_fail("${CMAKE_COMMAND}" --build "${WORK}")
