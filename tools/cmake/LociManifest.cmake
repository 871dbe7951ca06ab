# The manifest of a plugin: a JSON file, completed and turned into a source file whose object holds
# it as an ELF note (loci/abi/manifest.h). Part of the installed package.
include_guard(GLOBAL)

# loci_sanitizer_name(<variable>): none, address or thread, from LOCI_SANITIZER or the flags.
function(loci_sanitizer_name variable)
  set(name none)
  if(LOCI_SANITIZER)
    set(name "${LOCI_SANITIZER}")
  elseif(CMAKE_CXX_FLAGS MATCHES "-fsanitize=[^ ]*(address|thread)")
    set(name "${CMAKE_MATCH_1}")
  endif()
  set(${variable} "${name}" PARENT_SCOPE)
endfunction()

# loci_write_manifest(<manifest.json> <output.c>): adds abi.major, abi.minor, abi.digest, compiler
# and sanitizer to the manifest and writes the note. A bad file ends the configuration.
function(loci_write_manifest manifest output)
  get_filename_component(manifest "${manifest}" ABSOLUTE)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${manifest}")
  file(READ "${manifest}" json)

  foreach(member IN ITEMS id version kinds)
    string(JSON value ERROR_VARIABLE error GET "${json}" ${member})
    if(error)
      message(FATAL_ERROR "${manifest}: ${error}")
    endif()
  endforeach()
  _loci_complete_manifest(json)
  _loci_minify(json)

  # One level of escapes for the assembler, one for C.
  foreach(level IN ITEMS assembler c)
    string(REPLACE [[\]] [[\\]] json "${json}")
    string(REPLACE [["]] [[\"]] json "${json}")
  endforeach()
  file(CONFIGURE OUTPUT "${output}" @ONLY CONTENT
"#include <loci/abi/manifest.h>

LOCI_MANIFEST_NOTE(
    \"@json@\");
")
endfunction()

function(_loci_complete_manifest variable)
  set(json "${${variable}}")
  string(JSON abi ERROR_VARIABLE none GET "${json}" abi)
  if(none)
    string(JSON json SET "${json}" abi "{}")
  endif()
  foreach(member IN ITEMS major minor)
    string(TOUPPER "LOCI_ABI_${member}" property)
    get_target_property(value loci::abi ${property})
    string(JSON json SET "${json}" abi ${member} ${value})
  endforeach()
  get_target_property(digest loci::abi LOCI_ABI_DIGEST)
  string(JSON json SET "${json}" abi digest "\"${digest}\"")

  loci_sanitizer_name(sanitizer)
  string(JSON json SET "${json}" sanitizer "\"${sanitizer}\"")
  string(JSON json SET "${json}" compiler
    "\"${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}\"")
  set(${variable} "${json}" PARENT_SCOPE)
endfunction()

# Onto one line. A string of JSON never holds a newline, so what is removed is layout.
function(_loci_minify variable)
  string(REGEX REPLACE "[\r\n]+[ \t]*" "" json "${${variable}}")
  set(${variable} "${json}" PARENT_SCOPE)
endfunction()
