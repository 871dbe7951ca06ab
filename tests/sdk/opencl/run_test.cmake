# Runs a command, the arguments after --, with the plugin org.example.opencl; skipped where that
# finds no device.
#   LOCI       the runner
#   PLUGINS    the plugin's directory
#   EXPECTED   a regular expression of what the command prints
#   DIRECTORY  an empty one to run it in
set(command "")
set(found FALSE)
foreach(i RANGE ${CMAKE_ARGC})
  if(found)
    list(APPEND command "${CMAKE_ARGV${i}}")
  elseif("${CMAKE_ARGV${i}}" STREQUAL "--")
    set(found TRUE)
  endif()
endforeach()

set(ENV{LOCI_PLUGIN_PATH} "${PLUGINS}")
execute_process(COMMAND "${LOCI}" devices OUTPUT_VARIABLE devices ERROR_VARIABLE devices)
if(devices MATCHES "there is no OpenCL platform|the OpenCL platforms have no available device")
  message(STATUS "skipped: ${CMAKE_MATCH_0}")
  return()
endif()

file(REMOVE_RECURSE "${DIRECTORY}")
file(MAKE_DIRECTORY "${DIRECTORY}")
execute_process(COMMAND ${command} WORKING_DIRECTORY "${DIRECTORY}" RESULT_VARIABLE code
                OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "${command}\nfailed with ${code}:\n${output}")
endif()
if(NOT output MATCHES "${EXPECTED}")
  message(FATAL_ERROR "${command}\nprinted nothing like\n${EXPECTED}\nbut:\n${output}")
endif()
