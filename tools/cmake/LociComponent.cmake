# loci_add_component(NAME <folder> [SOURCES <file>...] [DEPENDS <folder>...] [LINK <target>...]
#                    [LINK_PRIVATE <target>...])
#
# One folder of framework/, target loci_<folder>. It sees, as "framework/<folder>/<file>.h", its own
# headers and those of the components it depends on, directly or not, and no others: an include
# against the layering does not compile. Its objects go into libloci and loci_static.
# LINK names third-party targets that its headers use, so that whoever includes them gets the targets
# too; LINK_PRIVATE names those that only its sources use.
function(loci_add_component)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME" "SOURCES;DEPENDS;LINK;LINK_PRIVATE")
  set(target loci_${arg_NAME})
  list(TRANSFORM arg_DEPENDS PREPEND loci_)

  # An include directory that holds this folder alone.
  set(view "${PROJECT_BINARY_DIR}/layers/${arg_NAME}")
  file(MAKE_DIRECTORY "${view}/framework")
  if(NOT EXISTS "${view}/framework/${arg_NAME}")
    file(CREATE_LINK "${CMAKE_CURRENT_SOURCE_DIR}" "${view}/framework/${arg_NAME}" SYMBOLIC)
  endif()

  if(arg_SOURCES)
    set(scope PUBLIC)
    add_library(${target} OBJECT ${arg_SOURCES})
    target_compile_definitions(${target} PRIVATE LOCI_BUILDING)
    target_link_libraries(${target} PRIVATE ${arg_LINK_PRIVATE})
    loci_enable_warnings(${target})
    _loci_reuse_component_header(${target})
    set_property(GLOBAL APPEND PROPERTY LOCI_COMPONENTS ${target})
  else()
    set(scope INTERFACE)
    add_library(${target} INTERFACE)
  endif()
  target_include_directories(${target} ${scope} "${view}")
  target_link_libraries(${target} ${scope} loci_abi ${arg_DEPENDS} ${arg_LINK})
  set_property(GLOBAL APPEND PROPERTY LOCI_COMPONENT_LINKS ${arg_LINK})
endfunction()

# The standard and third-party headers that nearly every component includes, compiled once.
function(_loci_reuse_component_header target)
  if(NOT TARGET loci_component_header)
    set(source "${PROJECT_BINARY_DIR}/loci_component_header.cc")
    file(CONFIGURE OUTPUT "${source}" CONTENT "")
    add_library(loci_component_header OBJECT "${source}")
    target_link_libraries(loci_component_header PRIVATE fmt::fmt)
    target_compile_definitions(loci_component_header PRIVATE LOCI_BUILDING)
    target_precompile_headers(loci_component_header PRIVATE
      <fmt/format.h> <fmt/ranges.h> <algorithm> <functional> <map> <memory> <string> <variant>
      <vector>)
    loci_enable_warnings(loci_component_header)
  endif()
  target_precompile_headers(${target} REUSE_FROM loci_component_header)
endfunction()
