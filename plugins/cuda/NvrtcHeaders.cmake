# loci_nvrtc_headers(<header>...)
#
# Has the texts of headers of this folder for NVRTC, which gets them at run time: in
# nvrtc_header_texts.inc of the binary directory, which nvrtc_headers.cc includes. Made anew where
# one of them changes.
function(loci_nvrtc_headers)
  set(entries "")
  foreach(header IN LISTS ARGN)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${header}")
    file(READ "${header}" text)
    string(APPEND entries "{\"${header}\", R\"loci(${text})loci\"},\n")
  endforeach()
  file(CONFIGURE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/nvrtc_header_texts.inc" @ONLY
    CONTENT [=[@entries@]=])
endfunction()
