# find_package(xxHash) gives xxHash::header, without the library: whoever includes it defines
# XXH_INLINE_ALL. The packages of Debian and Ubuntu have no configuration for CMake.
find_path(xxHash_INCLUDE_DIR xxhash.h)
mark_as_advanced(xxHash_INCLUDE_DIR)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(xxHash
  REQUIRED_VARS xxHash_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "install libxxhash-dev, as tools/setup does")

if(xxHash_FOUND AND NOT TARGET xxHash::header)
  add_library(xxHash::header INTERFACE IMPORTED GLOBAL)
  set_target_properties(xxHash::header PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${xxHash_INCLUDE_DIR}")
endif()
