# find_package(loci) gives
#   loci::loci         for applications: libloci and <loci/loci.hpp>
#   loci::plugin_sdk   for plugin authors, with loci_add_plugin() (see LociPlugin.cmake)
# Nothing else has to be found: what libloci uses is private to it.
include("${CMAKE_CURRENT_LIST_DIR}/loci-targets.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/LociPlugin.cmake")
