# loci_add_test(NAME <name> SOURCES <file>... [LINK <target>...] [LABELS <label>...]
#               [PLUGINS <plugin>...] [SHARDS <count>] [COST <seconds>] [ISAS <isa>...] [LEAKS])
#
# An executable of GoogleTest cases. Without LINK it is a unit test and links loci_static, which
# reaches all of framework/; a test of the public API says LINK loci::loci. With LOCI_TEST_LABEL set,
# a test without that label is left out. PLUGINS are built first, and LOCI_PLUGIN_PATH names their
# folder.
#
# The whole executable is one ctest test, because a process takes longer to start than most cases to
# run: a case leaves the process as it found it. What came of each case is in
# test-results/<test>.xml of the build folder, from where tools/test reports it; that also runs
# single cases.
#
# SHARDS: an executable that takes long is so many tests, <name>.1 and on, with a part of the cases
# each. COST: its seconds, if they are many; ctest starts with those that take longest.
#
# ISAS: once more for each, as <name>.<isa>, with LOCI_CPU_ISA, the CPU plugin's option, set to it.
#
# LEAKS has the address sanitizer look for leaks in it; not for tests that run code which oneDNN has
# generated, after which LeakSanitizer crashes at exit.
set(_loci_plugin_path "LOCI_PLUGIN_PATH=${PROJECT_BINARY_DIR}/lib/loci/plugins")
set(_loci_test_results "${PROJECT_BINARY_DIR}/test-results")
# A line for each executable, for tools/testing: its name, its ctest tests and its sources, with
# tabs between, and ; in lists.
set(_loci_test_programs "${PROJECT_BINARY_DIR}/test-programs.txt")
file(WRITE "${_loci_test_programs}" "")

function(loci_add_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "LEAKS" "NAME;SHARDS;COST"
    "SOURCES;LINK;LABELS;PLUGINS;ISAS")
  if(LOCI_TEST_LABEL AND NOT LOCI_TEST_LABEL IN_LIST arg_LABELS)
    return()
  endif()
  if(NOT arg_LINK)
    set(arg_LINK loci_static)
  endif()

  add_executable(${arg_NAME} ${arg_SOURCES})
  target_link_libraries(${arg_NAME} PRIVATE ${arg_LINK} loci_test_paths GTest::gmock_main)
  loci_enable_warnings(${arg_NAME})
  _loci_reuse_test_header(${arg_NAME})
  _loci_depend_on_plugins(${arg_NAME} "${arg_PLUGINS}")

  loci_compile_as_test(${arg_NAME})
  _loci_register_shards(tests ${arg_NAME} "${arg_SHARDS}" ${arg_LEAKS})
  # What sanitizers see of kernels is the same in each.
  if(LOCI_SANITIZER STREQUAL "none")
    foreach(isa IN LISTS arg_ISAS)
      _loci_register_test(${arg_NAME}.${isa} ${arg_NAME} ${arg_LEAKS} LOCI_CPU_ISA=${isa})
      list(APPEND tests ${arg_NAME}.${isa})
    endforeach()
  endif()
  # For a hang only: the longest take minutes with a sanitizer, and machines may be slow.
  set_tests_properties(${tests} PROPERTIES LABELS "${arg_LABELS}" TIMEOUT 3600)
  if(arg_COST)
    set_tests_properties(${tests} PROPERTIES COST ${arg_COST})
  endif()
  _loci_note_test_program(${arg_NAME} "${tests}" "${arg_SOURCES}")
endfunction()

# Sets <result> to the names of the ctest tests.
function(_loci_register_shards result name count leaks)
  if(NOT count)
    _loci_register_test(${name} ${name} ${leaks})
    set(${result} ${name} PARENT_SCOPE)
    return()
  endif()
  set(tests)
  foreach(number RANGE 1 ${count})
    math(EXPR index "${number} - 1")
    _loci_register_test(${name}.${number} ${name} ${leaks}
      GTEST_TOTAL_SHARDS=${count} GTEST_SHARD_INDEX=${index})
    list(APPEND tests ${name}.${number})
  endforeach()
  set(${result} ${tests} PARENT_SCOPE)
endfunction()

# _loci_register_test(<ctest test> <executable> <leaks> [<NAME=value>...])
function(_loci_register_test test executable leaks)
  set(environment "${_loci_plugin_path}" ${ARGN})
  if(leaks AND LOCI_SANITIZER STREQUAL "address")
    list(APPEND environment "ASAN_OPTIONS=detect_leaks=1"
      "LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tools/cmake/leaks.supp:print_suppressions=0")
  endif()
  add_test(NAME ${test} COMMAND
    ${executable} --gtest_brief=1 "--gtest_output=xml:${_loci_test_results}/${test}.xml")
  set_tests_properties(${test} PROPERTIES ENVIRONMENT "${environment}")
endfunction()

function(_loci_note_test_program name tests sources)
  set(paths)
  foreach(source IN LISTS sources)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
    list(APPEND paths "${source}")
  endforeach()
  file(APPEND "${_loci_test_programs}" "${name}\t${tests}\t${paths}\n")
endfunction()

# loci_compile_as_test(<target>): code of tests is compiled often and runs for moments, so that
# nothing is optimised, and undefined behaviour is looked for in what it tests. A sanitizer's traces
# name a test's function without its line, which costs up to a third of its compiling.
function(loci_compile_as_test target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O0>)
  if(NOT LOCI_SANITIZER STREQUAL "none")
    target_compile_options(${target} PRIVATE -g0)
  endif()
  if(LOCI_SANITIZER STREQUAL "address")
    target_compile_options(${target} PRIVATE -fno-sanitize=undefined)
  endif()
endfunction()

function(_loci_depend_on_plugins target plugins)
  foreach(plugin IN LISTS plugins)
    add_dependencies(${target} loci_plugin_${plugin})
  endforeach()
endfunction()

# GoogleTest's headers, compiled once for all tests. An executable, because the header has to be
# compiled with the flags of its users.
function(_loci_reuse_test_header target)
  if(NOT TARGET loci_test_header)
    set(source "${PROJECT_BINARY_DIR}/loci_test_header.cc")
    file(CONFIGURE OUTPUT "${source}" CONTENT "int main() { return 0; }\n")
    add_executable(loci_test_header EXCLUDE_FROM_ALL "${source}")
    set_target_properties(loci_test_header PROPERTIES
      RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/test_header")
    target_link_libraries(loci_test_header PRIVATE GTest::gmock)
    target_precompile_headers(loci_test_header PRIVATE <gmock/gmock.h> <gtest/gtest.h>)
    loci_enable_warnings(loci_test_header)
    loci_compile_as_test(loci_test_header)
  endif()
  target_precompile_headers(${target} REUSE_FROM loci_test_header)
endfunction()
