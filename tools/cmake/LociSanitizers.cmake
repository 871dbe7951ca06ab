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
