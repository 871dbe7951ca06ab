# LOCI_ZEROING_OPTIONS: for code in which small structs and arrays are zeroed often. GCC's generic
# tuning takes "rep stos" for more than some 60 bytes, which costs 30 cycles before it does
# anything.
set(LOCI_ZEROING_OPTIONS "")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  set(LOCI_ZEROING_OPTIONS
    "$<$<COMPILE_LANG_AND_ID:CXX,GNU>:-mmemset-strategy=vector_loop:4096:noalign,libcall:-1:noalign>")
endif()
