# Builds tests/sdk/package against Loci and runs it.
#   BUILD    a build tree of Loci
#   SOURCE   tests/sdk/package
#   WORK     an empty directory for the outside project
#   PREFIX   where to install Loci first; without it the build tree itself is used
function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${ARGV}\nfailed with ${code}:\n${output}")
  endif()
endfunction()

file(REMOVE_RECURSE "${WORK}")
set(package "${BUILD}")
if(PREFIX)
  file(REMOVE_RECURSE "${PREFIX}")
  run("${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${PREFIX}")
  set(package "${PREFIX}")
endif()
run("${CMAKE_COMMAND}" -S "${SOURCE}" -B "${WORK}" -G Ninja "-DCMAKE_PREFIX_PATH=${package}"
    -DCMAKE_BUILD_TYPE=Release)
run("${CMAKE_COMMAND}" --build "${WORK}")
# The CPU plugin is found beside the library, the other one where the argument says.
set(ENV{LOCI_PLUGIN_PATH} "")
run("${WORK}/outside_app" "${WORK}/lib/loci/plugins")
