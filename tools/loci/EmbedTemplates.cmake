# loci_embed_templates(<output.cc> <kind> <folder> [<kind> <folder>...])
#
# Writes template_files.cc, which holds the files of each folder as string literals. A change of one
# configures again.
function(loci_embed_templates output)
  set(entries "")
  set(arguments ${ARGN})
  while(arguments)
    list(POP_FRONT arguments kind folder)
    file(GLOB names RELATIVE "${folder}" CONFIGURE_DEPENDS "${folder}/*")
    foreach(name IN LISTS names)
      set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${folder}/${name}")
      file(READ "${folder}/${name}" text)
      string(APPEND entries "      {\"${kind}\", \"${name}\", R\"template(${text})template\"},\n")
    endforeach()
  endwhile()
  configure_file("${CMAKE_CURRENT_FUNCTION_LIST_DIR}/template_files.cc.in" "${output}" @ONLY)
endfunction()
