# Runs a command, and ends the script with what it printed if it fails; else that is `run_output`.
function(run_or_fail)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${ARGV}\nfailed with ${code}:\n${output}")
  endif()
  set(run_output "${output}" PARENT_SCOPE)
endfunction()
