# loci_add_fuzz_target(NAME <name> SOURCES <file>... [LINK <target>...] [PLUGINS <plugin>...])
#
# A fuzz target of tests/fuzz: sources that define LLVMFuzzerTestOneInput(). The test
# fuzz_replay.<name> runs it over corpus/<name> in every build but release, which would find nothing
# that asan does not. With LOCI_FUZZ there is also the
# libFuzzer program fuzz_<name>, which tools/fuzz runs. PLUGINS are built first; they are found
# beside the program.
function(loci_add_fuzz_target)
  if(CMAKE_BUILD_TYPE STREQUAL "Release")
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME" "SOURCES;LINK;PLUGINS")
  set(programs fuzz_replay_${arg_NAME})
  _loci_add_fuzz_program(fuzz_replay_${arg_NAME} replay.cc ${arg_SOURCES})
  add_test(NAME fuzz_replay.${arg_NAME}
    COMMAND fuzz_replay_${arg_NAME} "${CMAKE_CURRENT_SOURCE_DIR}/corpus/${arg_NAME}")
  # None runs code that oneDNN has generated, so that they can look for leaks.
  set(leaks "suppressions=${PROJECT_SOURCE_DIR}/tools/cmake/leaks.supp:print_suppressions=0")
  set_tests_properties(fuzz_replay.${arg_NAME} PROPERTIES LABELS fuzz TIMEOUT 1200
    ENVIRONMENT "ASAN_OPTIONS=detect_leaks=1;LSAN_OPTIONS=${leaks}")

  if(LOCI_FUZZ)
    list(APPEND programs fuzz_${arg_NAME})
    _loci_add_fuzz_program(fuzz_${arg_NAME} ${arg_SOURCES})
    target_link_options(fuzz_${arg_NAME} PRIVATE -fsanitize=fuzzer)
  endif()
  foreach(program IN LISTS programs)
    target_link_libraries(${program} PRIVATE ${arg_LINK})
    _loci_depend_on_plugins(${program} "${arg_PLUGINS}")
  endforeach()
endfunction()

function(_loci_add_fuzz_program target)
  if(NOT TARGET loci_fuzz_support)
    add_library(loci_fuzz_support OBJECT EXCLUDE_FROM_ALL
      fuzz_target.cc memory_meter.cc scratch_file.cc)
    target_link_libraries(loci_fuzz_support PUBLIC loci_static nlohmann_json::nlohmann_json)
    loci_enable_warnings(loci_fuzz_support)
    loci_compile_for_replay(loci_fuzz_support)
  endif()
  add_executable(${target} ${ARGN})
  target_link_libraries(${target} PRIVATE loci_fuzz_support)
  loci_enable_warnings(${target})
  loci_compile_for_replay(${target})
endfunction()

# A replay runs for moments. What it is about gets all that a sanitizer can find.
function(loci_compile_for_replay target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O0>)
endfunction()
