# LOCI_SANITIZER applies to every target: core, plugins and tests have to agree.
if(LOCI_SANITIZER STREQUAL "address")
  set(flags -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
elseif(LOCI_SANITIZER STREQUAL "thread")
  set(flags -fsanitize=thread -fno-omit-frame-pointer)
elseif(LOCI_SANITIZER STREQUAL "none")
  set(flags)
else()
  message(FATAL_ERROR "LOCI_SANITIZER is '${LOCI_SANITIZER}'; use none, address or thread")
endif()

add_compile_options(${flags})
add_link_options(${flags})

# loci_uses_regex(<source>...)
#
# With sanitizers g++ 12 sees uninitialised reads in <regex> that are none (GCC bug 105562).
function(loci_uses_regex)
  if(NOT LOCI_SANITIZER STREQUAL "none" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    set_property(SOURCE ${ARGV} APPEND PROPERTY COMPILE_OPTIONS -Wno-maybe-uninitialized)
  endif()
endfunction()
