# loci_enable_warnings(<target>): the warnings that g++ 12 and clang 14 agree on.
function(loci_enable_warnings target)
  target_compile_options(${target} PRIVATE
    -Wall -Wextra -Wpedantic -Wshadow -Wcast-qual -Wformat=2 -Wundef -Wvla
    $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor>
    $<$<COMPILE_LANGUAGE:CXX>:-Woverloaded-virtual>
    $<$<COMPILE_LANGUAGE:CXX>:-Wextra-semi>
    # A designated initialiser that leaves the other members zero is what sized structs are for.
    -Wno-missing-field-initializers
    # In a batch, of another source's names (see LociUnity.cmake).
    $<$<BOOL:$<TARGET_PROPERTY:UNITY_BUILD>>:-Wno-shadow>
    $<$<BOOL:${LOCI_WERROR}>:-Werror>)
endfunction()

# loci_uses_regex(<source>...)
#
# g++ 12 sees uninitialised reads in <regex> that are none (GCC bug 105562).
function(loci_uses_regex)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    set_property(SOURCE ${ARGV} APPEND PROPERTY COMPILE_OPTIONS -Wno-maybe-uninitialized)
  endif()
endfunction()
