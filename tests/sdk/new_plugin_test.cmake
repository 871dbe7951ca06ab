# Writes a plugin with `loci plugins new`, builds it as it is, runs its test and has the runner load
# it. It has to pass `loci verify`.
#   PACKAGE   an install prefix of Loci
#   WORK      where to work; what is there goes away first
#   KIND      backend, queued, which is one with --queued, capturer, for which such a backend is built
#             beside it, op or reporter
include("${CMAKE_CURRENT_LIST_DIR}/run_or_fail.cmake")
file(REMOVE_RECURSE "${WORK}")
set(ENV{LOCI_PLUGIN_PATH} "")
set(runner "${PACKAGE}/bin/loci")
set(plugins "${WORK}/build/lib/loci/plugins")
set(options --kind ${KIND})
set(queued_options --kind backend --queued)
set(library loci-npu2.so)
if(KIND STREQUAL "queued")
  set(KIND backend)
  set(options ${queued_options})
endif()

# build_new(<directory> <option of plugins new>...)
function(build_new directory)
  set(source "${directory}/source")
  run_or_fail("${runner}" plugins new npu2 ${ARGN} --dir "${source}")
  if(NOT EXISTS "${source}/README.md")
    message(FATAL_ERROR "the new plugin has no README.md")
  endif()
  run_or_fail("${CMAKE_COMMAND}" -S "${source}" -B "${directory}/build" -G Ninja
              "-DCMAKE_PREFIX_PATH=${PACKAGE}" -DCMAKE_BUILD_TYPE=Release
              "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror" -DCMAKE_CXX_EXTENSIONS=OFF)
  run_or_fail("${CMAKE_COMMAND}" --build "${directory}/build")
endfunction()

build_new("${WORK}" ${options})
if(KIND STREQUAL "capturer")
  set(library loci-npu2_graph.so)
  execute_process(COMMAND "${CMAKE_CTEST_COMMAND}" --test-dir "${WORK}/build"
                  OUTPUT_VARIABLE alone RESULT_VARIABLE failed)
  if(failed OR NOT alone MATCHES "Skipped")
    message(FATAL_ERROR "the test has to be skipped where no plugin brings the device:\n${alone}")
  endif()
  build_new("${WORK}/backend" ${queued_options})
  set(ENV{LOCI_PLUGIN_PATH} "${WORK}/backend/build/lib/loci/plugins")
endif()
run_or_fail("${CMAKE_CTEST_COMMAND}" --test-dir "${WORK}/build" --no-tests=error
            --output-on-failure)
run_or_fail("${runner}" plugins doctor --plugin-path "${plugins}")

if(KIND STREQUAL "backend")
  execute_process(COMMAND "${runner}" devices --plugin-path "${plugins}" OUTPUT_VARIABLE devices)
  if(NOT devices MATCHES "npu2:0: npu2\n.*operators +3 types have a kernel.*org.example.npu2")
    message(FATAL_ERROR "the new device is not among these:\n${devices}")
  endif()
endif()
if(KIND STREQUAL "capturer")
  execute_process(COMMAND "${CMAKE_CTEST_COMMAND}" --test-dir "${WORK}/build"
                  OUTPUT_VARIABLE together)
  if(together MATCHES "Skipped")
    message(FATAL_ERROR "the test has to run beside the backend:\n${together}")
  endif()
  # The other one of the pair, with kernels that graphs record.
  run_or_fail("${runner}" verify "$ENV{LOCI_PLUGIN_PATH}/loci-npu2.so" --level capture
              --plugin-path "${plugins}" --filter "^capture/(kernel/.*|abort|order)$")
endif()
run_or_fail("${runner}" verify "${plugins}/${library}")
