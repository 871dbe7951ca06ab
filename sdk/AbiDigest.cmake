# loci_abi_declarations(<variable> <header>)
#
# What a C ABI header declares: its text without comments, blank lines and what blanks at the ends and
# within lines do not mean. A comment is /* */, so that no other has to be known here.
function(loci_abi_declarations variable header)
  file(READ "${header}" text)
  if(text MATCHES "//")
    message(FATAL_ERROR "${header}: has '//'; write comments of the C ABI as /* */")
  endif()
  # Not by a regular expression: a long comment is too much for CMake's.
  set(declarations "")
  while(TRUE)
    string(FIND "${text}" "/*" begin)
    if(begin EQUAL -1)
      break()
    endif()
    string(SUBSTRING "${text}" 0 ${begin} before)
    string(SUBSTRING "${text}" ${begin} -1 text)
    string(FIND "${text}" "*/" end)
    if(end EQUAL -1)
      message(FATAL_ERROR "${header}: a comment has no end")
    endif()
    math(EXPR end "${end} + 2")
    string(SUBSTRING "${text}" ${end} -1 text)
    string(APPEND declarations "${before} ")
  endwhile()
  string(APPEND declarations "${text}")
  string(REGEX REPLACE "[ \t\r]+" " " declarations "${declarations}")
  string(REGEX REPLACE " ?\n[ \n]*" "\n" declarations "\n${declarations}\n")
  set(${variable} "${declarations}" PARENT_SCOPE)
endfunction()

# loci_compute_abi_digest(<variable> <header>...)
#
# The first 16 hex digits of the SHA-256 of what the headers declare, in this order.
function(loci_compute_abi_digest variable)
  set(all "")
  foreach(header IN LISTS ARGN)
    loci_abi_declarations(declarations "${header}")
    string(APPEND all "${declarations}")
  endforeach()
  string(SHA256 digest "${all}")
  string(SUBSTRING "${digest}" 0 16 digest)
  set(${variable} ${digest} PARENT_SCOPE)
endfunction()

# loci_write_abi_digest(<abi header folder> <output include directory>)
#
# Writes loci/abi/digest.h with LOCI_ABI_DIGEST, that of the C ABI headers in order of their names, and
# sets LOCI_ABI_DIGEST, LOCI_ABI_MAJOR and LOCI_ABI_MINOR for the caller. While v1 is a draft, host and
# plugin have to agree on the digest.
function(loci_write_abi_digest folder output)
  file(GLOB headers CONFIGURE_DEPENDS "${folder}/*.h")
  list(SORT headers)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${headers})

  loci_compute_abi_digest(digest ${headers})

  file(CONFIGURE OUTPUT "${output}/loci/abi/digest.h" @ONLY CONTENT
"/* Generated: a digest of the C ABI headers. */
#ifndef LOCI_ABI_DIGEST_H_
#define LOCI_ABI_DIGEST_H_

#define LOCI_ABI_DIGEST \"@digest@\"

#endif /* LOCI_ABI_DIGEST_H_ */
")
  set(LOCI_ABI_DIGEST ${digest} PARENT_SCOPE)

  foreach(part IN ITEMS MAJOR MINOR)
    file(STRINGS "${folder}/base.h" line REGEX "^#define LOCI_ABI_${part} +[0-9]+")
    if(NOT line MATCHES "([0-9]+)$")
      message(FATAL_ERROR "${folder}/base.h: no LOCI_ABI_${part}")
    endif()
    set(LOCI_ABI_${part} ${CMAKE_MATCH_1} PARENT_SCOPE)
  endforeach()
endfunction()
