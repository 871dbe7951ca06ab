# Uses ccache when it is installed. The sloppiness lets it cache sources that use the tests'
# precompiled header (see LociTest.cmake).
#
# Objects are the same in every checkout, so that all share a cache (.ci/run tells ccache so): no
# source gets an absolute path by a macro, __FILE__ included.
add_compile_options("-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=")
find_program(LOCI_CCACHE ccache)
mark_as_advanced(LOCI_CCACHE)

if(LOCI_CCACHE)
  set(launcher "${CMAKE_COMMAND}" -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      "${LOCI_CCACHE}")
  foreach(language IN ITEMS C CXX)
    if(NOT DEFINED CMAKE_${language}_COMPILER_LAUNCHER)
      set(CMAKE_${language}_COMPILER_LAUNCHER "${launcher}")
    endif()
  endforeach()
endif()
