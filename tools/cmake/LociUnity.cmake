# With LOCI_UNITY_BUILD sources are compiled in batches, so that headers are read and their templates
# instantiated once for many of them: two to three times faster than one by one. File-local names
# then have to be unique in a whole target, except in sources that loci_compile_alone() names. What
# batches hide, a missing include and a name that shadows another, the preset dev shows, which has
# none; tools/lint/tidy shows missing includes too.
if(NOT DEFINED CMAKE_UNITY_BUILD)
  set(CMAKE_UNITY_BUILD ${LOCI_UNITY_BUILD})
endif()
set(CMAKE_UNITY_BUILD_BATCH_SIZE 24)

# loci_compile_alone(<source>...): their file-local names are those of others.
function(loci_compile_alone)
  set_source_files_properties(${ARGV} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()
