# loci_add_fuzz_target(NAME <name> SOURCES <file>...)
#
# A fuzz target of tests/fuzz: sources that define LLVMFuzzerTestOneInput(). The test
# fuzz_replay.<name> runs it over corpus/<name> in every build. With LOCI_FUZZ there is also the
# libFuzzer program fuzz_<name>, which tools/fuzz runs.
function(loci_add_fuzz_target)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME" "SOURCES")
  _loci_add_fuzz_program(fuzz_replay_${arg_NAME} replay.cc ${arg_SOURCES})
  add_test(NAME fuzz_replay.${arg_NAME}
    COMMAND fuzz_replay_${arg_NAME} "${CMAKE_CURRENT_SOURCE_DIR}/corpus/${arg_NAME}")
  # These load no plugin, so that they can look for leaks.
  set_tests_properties(fuzz_replay.${arg_NAME} PROPERTIES
    LABELS fuzz TIMEOUT 1200 ENVIRONMENT "ASAN_OPTIONS=detect_leaks=1")

  if(LOCI_FUZZ)
    _loci_add_fuzz_program(fuzz_${arg_NAME} ${arg_SOURCES})
    target_link_options(fuzz_${arg_NAME} PRIVATE -fsanitize=fuzzer)
  endif()
endfunction()

function(_loci_add_fuzz_program target)
  if(NOT TARGET loci_fuzz_support)
    add_library(loci_fuzz_support OBJECT EXCLUDE_FROM_ALL
      fuzz_target.cc memory_meter.cc scratch_file.cc)
    target_link_libraries(loci_fuzz_support PUBLIC loci_static nlohmann_json::nlohmann_json)
    loci_enable_warnings(loci_fuzz_support)
  endif()
  add_executable(${target} ${ARGN})
  target_link_libraries(${target} PRIVATE loci_fuzz_support)
  loci_enable_warnings(${target})
endfunction()
