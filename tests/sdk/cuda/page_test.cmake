# Runs the commands of a page's section on CUDA plugins without a GPU, and looks at what they print.
#   PREFIX   an install prefix of Loci, whose documents have the example
#   PAGE     the file
#   WORK     where to run them; what is there goes away first
file(READ "${PAGE}" text)
string(FIND "${text}" "## Testing a CUDA plugin without a GPU\n" begin)
if(begin EQUAL -1)
  message(FATAL_ERROR "${PAGE} has no section 'Testing a CUDA plugin without a GPU'")
endif()
string(SUBSTRING "${text}" ${begin} -1 text)
string(REGEX MATCH "```\n([^`]*)```" block "${text}")
set(commands "${CMAKE_MATCH_1}")

file(REMOVE_RECURSE "${WORK}")
file(MAKE_DIRECTORY "${WORK}")
file(CREATE_LINK "${PREFIX}/share/doc/loci/examples" "${WORK}/examples" SYMBOLIC)
set(ENV{PREFIX} "${PREFIX}")
set(ENV{PATH} "${PREFIX}/bin:$ENV{PATH}")
set(ENV{CXXFLAGS} "-Wall -Wextra -Werror")
unset(ENV{LOCI_CUDA_DRIVER})
execute_process(COMMAND sh -ec "${commands}" WORKING_DIRECTORY "${WORK}" RESULT_VARIABLE code
                OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "${commands}\nfailed with ${code}:\n${output}")
endif()
foreach(expected IN ITEMS
    "mycuda:0: [^\n]*\\(emulated\\)" "emulated CUDA" "org.example.mycuda [^\n]* at mycuda:0"
    "7 cases ran org.example.mycuda/mycuda")
  if(NOT output MATCHES "${expected}")
    message(FATAL_ERROR "${commands}\nprinted nothing like\n${expected}\nbut:\n${output}")
  endif()
endforeach()
