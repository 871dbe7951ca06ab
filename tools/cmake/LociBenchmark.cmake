# loci_add_benchmark(NAME <name> SOURCES <file>... [LINK <target>...] [PLUGINS <plugin>...])
#
# A benchmark program that tools/bench <name> runs: bin/bench_<name>, with _ for each -. It links
# Google Benchmark and, unless LINK says otherwise, loci::loci. It is built when it is asked for: the
# tests need none.
function(loci_add_benchmark)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME" "SOURCES;LINK;PLUGINS")
  if(NOT arg_LINK)
    set(arg_LINK loci::loci)
  endif()
  string(REPLACE "-" "_" target "bench_${arg_NAME}")

  add_executable(${target} EXCLUDE_FROM_ALL ${arg_SOURCES})
  target_link_libraries(${target} PRIVATE ${arg_LINK} benchmark::benchmark)
  loci_enable_warnings(${target})
  _loci_depend_on_plugins(${target} "${arg_PLUGINS}")
endfunction()
