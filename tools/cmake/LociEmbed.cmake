# loci_embed(<output.cc> <template.cc.in> <kind> <folder> [<kind> <folder>...])
#
# Configures the template with "@entries@" as initialisers {kind, file name, text} of all the files
# in each folder, as string literals. A change of one configures again.
function(loci_embed output template)
  set(entries "")
  set(arguments ${ARGN})
  while(arguments)
    list(POP_FRONT arguments kind folder)
    file(GLOB names RELATIVE "${folder}" LIST_DIRECTORIES false CONFIGURE_DEPENDS "${folder}/*")
    foreach(name IN LISTS names)
      set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${folder}/${name}")
      file(READ "${folder}/${name}" text)
      string(APPEND entries "      {\"${kind}\", \"${name}\", R\"template(${text})template\"},\n")
    endforeach()
  endwhile()
  configure_file("${template}" "${output}" @ONLY)
endfunction()
