# find_package(Minizip) gives minizip::minizip, zlib's own library for zip archives. The packages of
# Debian and Ubuntu have no configuration for CMake.
find_path(Minizip_INCLUDE_DIR minizip/unzip.h)
find_library(Minizip_LIBRARY minizip)
mark_as_advanced(Minizip_INCLUDE_DIR Minizip_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Minizip
  REQUIRED_VARS Minizip_LIBRARY Minizip_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "install libminizip-dev, as tools/setup does")

if(Minizip_FOUND AND NOT TARGET minizip::minizip)
  find_package(ZLIB REQUIRED)
  add_library(minizip::minizip UNKNOWN IMPORTED GLOBAL)
  set_target_properties(minizip::minizip PROPERTIES
    IMPORTED_LOCATION "${Minizip_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${Minizip_INCLUDE_DIR}"
    INTERFACE_LINK_LIBRARIES ZLIB::ZLIB)
endif()
