# find_package(RE2) gives RE2::RE2. The packages of Debian and Ubuntu have no configuration for CMake.
find_path(RE2_INCLUDE_DIR re2/re2.h)
find_library(RE2_LIBRARY re2)
mark_as_advanced(RE2_INCLUDE_DIR RE2_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(RE2
  REQUIRED_VARS RE2_LIBRARY RE2_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "install libre2-dev, as tools/setup does")

if(RE2_FOUND AND NOT TARGET RE2::RE2)
  find_package(Threads REQUIRED)
  add_library(RE2::RE2 UNKNOWN IMPORTED GLOBAL)
  set_target_properties(RE2::RE2 PROPERTIES
    IMPORTED_LOCATION "${RE2_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${RE2_INCLUDE_DIR}"
    INTERFACE_LINK_LIBRARIES Threads::Threads)
endif()
