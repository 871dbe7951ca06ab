# loci_add_plugin(NAME <name> MANIFEST <file.json> SOURCES <file>... [LINK <target>...]
#                 [OUTPUT_DIRECTORY <dir>] [NO_INSTALL])
#
# A plugin: target loci_plugin_<name>, file loci-<name>.so in <build>/lib/loci/plugins, or in
# OUTPUT_DIRECTORY. Its sources include its own headers from the folder of its CMakeLists.txt. It
# links loci::plugin_sdk and what LINK names, exports loci_plugin_query_v1
# alone, leaves no symbol undefined, and carries the manifest as an ELF note. The project may have C
# alone: loci/abi is C11.
#
# Part of the installed package: find_package(loci) brings it.
include_guard(GLOBAL)
include("${CMAKE_CURRENT_LIST_DIR}/LociManifest.cmake")
set_property(GLOBAL PROPERTY LOCI_PLUGIN_MAP "${CMAKE_CURRENT_LIST_DIR}/plugin.map")

function(loci_add_plugin)
  cmake_parse_arguments(PARSE_ARGV 0 arg
    "NO_INSTALL" "NAME;MANIFEST;OUTPUT_DIRECTORY" "SOURCES;LINK")
  foreach(required IN ITEMS NAME MANIFEST SOURCES)
    if(NOT arg_${required})
      message(FATAL_ERROR "loci_add_plugin: ${required} is missing")
    endif()
  endforeach()
  if(NOT arg_OUTPUT_DIRECTORY)
    set(arg_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib/loci/plugins")
  endif()

  set(target loci_plugin_${arg_NAME})
  # In a language of the project: CMake compiles no file of another one, and does not say so.
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  set(suffix cc)
  if(NOT "CXX" IN_LIST languages)
    set(suffix c)
  endif()
  set(note "${CMAKE_CURRENT_BINARY_DIR}/${target}_manifest.${suffix}")
  loci_write_manifest("${arg_MANIFEST}" "${note}")

  add_library(${target} MODULE ${arg_SOURCES} "${note}")
  target_include_directories(${target} PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
  target_link_libraries(${target} PRIVATE loci::plugin_sdk ${arg_LINK})
  set_target_properties(${target} PROPERTIES
    PREFIX "" OUTPUT_NAME "loci-${arg_NAME}" SUFFIX ".so"
    LIBRARY_OUTPUT_DIRECTORY "${arg_OUTPUT_DIRECTORY}" INSTALL_RPATH ""
    C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  _loci_set_plugin_link_options(${target})
  if(COMMAND loci_enable_warnings)
    loci_enable_warnings(${target})
  endif()

  if(NOT arg_NO_INSTALL)
    include(GNUInstallDirs)
    install(TARGETS ${target} LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/loci/plugins")
  endif()
endfunction()

function(_loci_set_plugin_link_options target)
  get_property(map GLOBAL PROPERTY LOCI_PLUGIN_MAP)
  target_link_options(${target} PRIVATE
    "LINKER:--version-script=${map}" "LINKER:--exclude-libs,ALL" "LINKER:--as-needed")
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS "${map}")

  # A unique symbol would keep the library mapped after dlclose.
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fno-gnu-unique>)

  # With clang the sanitizer runtime is in the executable, so that its symbols stay undefined here.
  loci_sanitizer_name(sanitizer)
  if(sanitizer STREQUAL "none" OR CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_link_options(${target} PRIVATE "LINKER:-z,defs")
  endif()
endfunction()
