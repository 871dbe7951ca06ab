# Configures Loci with an option off, and looks for it in the header that applications include.
#   SOURCE      Loci's sources
#   WORK        where to work; what is there goes away first
include("${CMAKE_CURRENT_LIST_DIR}/run_or_fail.cmake")
file(REMOVE_RECURSE "${WORK}")

function(expect_header timer profiler)
  run_or_fail("${CMAKE_COMMAND}" -S "${SOURCE}" -B "${WORK}" -G Ninja -DLOCI_WITH_TIMER=${timer}
              -DLOCI_WITH_PROFILER=${profiler} -DLOCI_BUILD_TESTS=OFF -DLOCI_BUILD_EXAMPLES=OFF)
  file(READ "${WORK}/include/loci/config.hpp" header)
  foreach(option IN ITEMS timer profiler)
    string(TOUPPER ${option} name)
    if(NOT header MATCHES "\n#define LOCI_WITH_${name} ${${option}}\n")
      message(FATAL_ERROR "LOCI_WITH_${name} should be ${${option}}:\n${header}")
    endif()
  endforeach()
endfunction()

expect_header(0 1)
expect_header(1 0)

# The tests need both.
execute_process(
  COMMAND "${CMAKE_COMMAND}" -S "${SOURCE}" -B "${WORK}" -DLOCI_BUILD_TESTS=ON
  RESULT_VARIABLE result OUTPUT_QUIET ERROR_VARIABLE error)
if(result EQUAL 0 OR NOT error MATCHES "LOCI_WITH_PROFILER")
  message(FATAL_ERROR "tests without the profiler should be refused:\n${error}")
endif()
