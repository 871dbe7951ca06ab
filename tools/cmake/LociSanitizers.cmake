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

# Coverage in every object; the fuzz targets alone link libFuzzer's main (see LociFuzz.cmake).
if(LOCI_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "LOCI_FUZZ needs clang; use the preset fuzz")
  endif()
  list(APPEND flags -fsanitize=fuzzer-no-link)
endif()

add_compile_options(${flags})
add_link_options(${flags})
