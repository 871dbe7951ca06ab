# loci_write_abi_digest(<abi header folder> <output include directory>)
#
# Writes loci/abi/digest.h with LOCI_ABI_DIGEST, the first 16 hex digits of the SHA-256 of the C ABI
# headers in order of their names, and sets LOCI_ABI_DIGEST, LOCI_ABI_MAJOR and LOCI_ABI_MINOR for
# the caller. While v1 is a draft, host and plugin have to agree on the digest.
function(loci_write_abi_digest folder output)
  file(GLOB headers CONFIGURE_DEPENDS "${folder}/*.h")
  list(SORT headers)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${headers})

  set(text "")
  foreach(header IN LISTS headers)
    # As hex, because a list separator or bracket in the text would be changed.
    file(READ "${header}" content HEX)
    string(APPEND text "${content}")
  endforeach()
  string(SHA256 digest "${text}")
  string(SUBSTRING "${digest}" 0 16 digest)

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
