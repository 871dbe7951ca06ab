# loci_add_example(NAME <folder> [ARGS <argument>...] [ENVIRONMENT <NAME=value>...]
#   [LABELS <label>...] [PLUGINS <plugin>...])
#
# Adds examples/<folder>, a project of its own that uses find_package(loci) and defines an executable
# of the same name, holds it to this tree's warnings and to C++17, and runs it as the test
# example_<folder>, in an empty directory of its own.
function(loci_add_example)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME" "ARGS;ENVIRONMENT;LABELS;PLUGINS")
  add_subdirectory(${arg_NAME})
  loci_enable_warnings(${arg_NAME})
  set_target_properties(${arg_NAME} PROPERTIES
    CXX_STANDARD 17 RUNTIME_OUTPUT_DIRECTORY "${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
  _loci_depend_on_plugins(${arg_NAME} "${arg_PLUGINS}")

  if(LOCI_BUILD_TESTS)
    set(directory "${CMAKE_CURRENT_BINARY_DIR}/${arg_NAME}/run")
    file(MAKE_DIRECTORY "${directory}")
    add_test(NAME example_${arg_NAME} COMMAND ${arg_NAME} ${arg_ARGS}
      WORKING_DIRECTORY "${directory}")
    set_tests_properties(example_${arg_NAME} PROPERTIES
      LABELS "example;${arg_LABELS}"
      ENVIRONMENT "LOCI_PLUGIN_PATH=${PROJECT_BINARY_DIR}/lib/loci/plugins;${arg_ENVIRONMENT}")
  endif()
endfunction()
