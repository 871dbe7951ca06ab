# The C++ headers for plugins throw. A compiler that is told to have no exceptions says so in words
# that an author understands, whichever header comes first.
#   COMPILER  of C++
#   INCLUDE   directories of headers, a list
#   WORK      where to write; what is there goes away first
set(headers attributes capturer device kernel op_def plugin profile_source reporter)
file(REMOVE_RECURSE "${WORK}")
foreach(header IN LISTS headers)
  file(WRITE "${WORK}/${header}.cc" "#include <loci/plugin/${header}.hpp>\n")
  set(command "${COMPILER}" -std=c++17 -fsyntax-only)
  foreach(directory IN LISTS INCLUDE)
    list(APPEND command "-I${directory}")
  endforeach()
  execute_process(COMMAND ${command} "${WORK}/${header}.cc"
                  RESULT_VARIABLE result ERROR_VARIABLE said)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${header}.hpp by itself does not compile: ${said}")
  endif()
  execute_process(COMMAND ${command} -fno-exceptions "${WORK}/${header}.cc"
                  RESULT_VARIABLE result ERROR_VARIABLE said)
  string(REGEX MATCH "[^\n]*error:[^\n]*" first "${said}")
  if(result EQUAL 0 OR NOT first MATCHES "plugins in C.. throw: compile them without -fno-exceptions")
    message(FATAL_ERROR "${header}.hpp with -fno-exceptions: ${said}")
  endif()
endforeach()
