# Writes a plugin with `loci plugins new`, builds it as it is, runs its test and has the runner load
# it. It has to pass `loci verify`.
#   PACKAGE   an install prefix of Loci
#   WORK      where to work; what is there goes away first
#   KIND      backend, queued, which is one with --queued, op or reporter
include("${CMAKE_CURRENT_LIST_DIR}/run_or_fail.cmake")
file(REMOVE_RECURSE "${WORK}")
set(ENV{LOCI_PLUGIN_PATH} "")
set(runner "${PACKAGE}/bin/loci")
set(plugins "${WORK}/build/lib/loci/plugins")
set(options --kind ${KIND})
if(KIND STREQUAL "queued")
  set(KIND backend)
  set(options --kind backend --queued)
endif()
run_or_fail("${runner}" plugins new npu2 ${options} --dir "${WORK}/source")
if(NOT EXISTS "${WORK}/source/README.md")
  message(FATAL_ERROR "the new plugin has no README.md")
endif()
run_or_fail("${CMAKE_COMMAND}" -S "${WORK}/source" -B "${WORK}/build" -G Ninja
            "-DCMAKE_PREFIX_PATH=${PACKAGE}" -DCMAKE_BUILD_TYPE=Release
            "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror" -DCMAKE_CXX_EXTENSIONS=OFF)
run_or_fail("${CMAKE_COMMAND}" --build "${WORK}/build")
run_or_fail("${CMAKE_CTEST_COMMAND}" --test-dir "${WORK}/build" --no-tests=error
            --output-on-failure)
run_or_fail("${runner}" plugins doctor --plugin-path "${plugins}")

if(KIND STREQUAL "backend")
  execute_process(COMMAND "${runner}" devices --plugin-path "${plugins}" OUTPUT_VARIABLE devices)
  if(NOT devices MATCHES "npu2:0: npu2\n.*operators +3 types have a kernel.*org.example.npu2")
    message(FATAL_ERROR "the new device is not among these:\n${devices}")
  endif()
endif()
run_or_fail("${runner}" verify "${plugins}/loci-npu2.so")
