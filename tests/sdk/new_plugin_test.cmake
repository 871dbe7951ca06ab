# Writes a plugin with `loci plugins new`, builds it as it is, and has the runner load it.
#   PACKAGE   an install prefix of Loci
#   WORK      where to work; what is there goes away first
include("${CMAKE_CURRENT_LIST_DIR}/run_or_fail.cmake")
file(REMOVE_RECURSE "${WORK}")
set(ENV{LOCI_PLUGIN_PATH} "")
set(runner "${PACKAGE}/bin/loci")
run_or_fail("${runner}" plugins new npu2 --kind backend --dir "${WORK}/source")
run_or_fail("${CMAKE_COMMAND}" -S "${WORK}/source" -B "${WORK}/build" -G Ninja
            "-DCMAKE_PREFIX_PATH=${PACKAGE}" -DCMAKE_BUILD_TYPE=Release
            "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror")
run_or_fail("${CMAKE_COMMAND}" --build "${WORK}/build")
run_or_fail("${runner}" plugins doctor --plugin-path "${WORK}/build/lib/loci/plugins")
execute_process(
  COMMAND "${runner}" devices --plugin-path "${WORK}/build/lib/loci/plugins"
  OUTPUT_VARIABLE devices)
if(NOT devices MATCHES "npu2:0: npu2\n.*operators +1 types have a kernel.*org.example.npu2")
  message(FATAL_ERROR "the new device is not among these:\n${devices}")
endif()
