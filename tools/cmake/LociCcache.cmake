# Uses ccache when it is installed. The sloppiness lets it cache sources that use the tests'
# precompiled header (see LociTest.cmake).
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
