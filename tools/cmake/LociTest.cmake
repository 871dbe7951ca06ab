# loci_add_test(NAME <name> SOURCES <file>... [LINK <target>...] [LABELS <label>...]
#               [PLUGINS <plugin>...] [LEAKS])
#
# An executable of GoogleTest cases, each one a ctest test. Without LINK it is a unit test and links
# loci_static, which reaches all of framework/; a test of the public API says LINK loci::loci.
# With LOCI_TEST_LABEL set, a test without that label is left out. PLUGINS are built first, and
# LOCI_PLUGIN_PATH names their folder. A case that calls GTEST_SKIP() is a skipped ctest test;
# tools/test prints its reason.
#
# With a sanitizer the whole executable is one ctest test: a start of a process takes longer there
# than most cases. LEAKS has the address sanitizer look for leaks in it; not for tests that run code
# which oneDNN has generated, after which LeakSanitizer crashes at exit.
include(GoogleTest)

set(_loci_plugin_path "LOCI_PLUGIN_PATH=${PROJECT_BINARY_DIR}/lib/loci/plugins")

function(loci_add_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "LEAKS" "NAME" "SOURCES;LINK;LABELS;PLUGINS")
  if(LOCI_TEST_LABEL AND NOT LOCI_TEST_LABEL IN_LIST arg_LABELS)
    return()
  endif()
  if(NOT arg_LINK)
    set(arg_LINK loci_static)
  endif()

  add_executable(${arg_NAME} ${arg_SOURCES})
  target_link_libraries(${arg_NAME} PRIVATE ${arg_LINK} GTest::gmock_main)
  loci_enable_warnings(${arg_NAME})
  _loci_reuse_test_header(${arg_NAME})
  _loci_depend_on_plugins(${arg_NAME} "${arg_PLUGINS}")

  loci_compile_as_test(${arg_NAME})
  if(LOCI_SANITIZER STREQUAL "none")
    gtest_discover_tests(${arg_NAME} DISCOVERY_MODE PRE_TEST PROPERTIES
      ENVIRONMENT "${_loci_plugin_path}")
    _loci_label_tests(${arg_NAME} "${arg_LABELS}")
  else()
    _loci_add_whole_test(${arg_NAME} "${arg_LABELS}" ${arg_LEAKS})
  endif()
endfunction()

function(_loci_add_whole_test name labels leaks)
  set(environment "${_loci_plugin_path}")
  if(leaks AND LOCI_SANITIZER STREQUAL "address")
    list(APPEND environment "ASAN_OPTIONS=detect_leaks=1")
  endif()
  add_test(NAME ${name} COMMAND ${name} --gtest_brief=1)
  set_tests_properties(${name} PROPERTIES
    LABELS "${labels}" ENVIRONMENT "${environment}" TIMEOUT 3600)
endfunction()

# loci_compile_as_test(<target>): code of tests is compiled often and runs for moments, so that
# nothing is optimised, and undefined behaviour is looked for in what it tests.
function(loci_compile_as_test target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O0>)
  if(LOCI_SANITIZER STREQUAL "address")
    target_compile_options(${target} PRIVATE -fno-sanitize=undefined)
  endif()
endfunction()

# Not through gtest_discover_tests(), which takes a list of labels apart.
function(_loci_label_tests name labels)
  if(labels)
    set(script "${CMAKE_CURRENT_BINARY_DIR}/${name}_labels.cmake")
    file(CONFIGURE OUTPUT "${script}" @ONLY CONTENT
[[
if(@name@_TESTS)
  set_tests_properties(${@name@_TESTS} PROPERTIES LABELS "@labels@")
endif()
]])
    set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${script}")
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
