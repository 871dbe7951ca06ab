// Whether this is built with the address sanitizer: LOCI_FUZZ_ASAN is defined then, and its
// interfaces are declared.
#pragma once

#if defined(__SANITIZE_ADDRESS__)
#define LOCI_FUZZ_ASAN
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define LOCI_FUZZ_ASAN
#endif
#endif

#ifdef LOCI_FUZZ_ASAN
#include <sanitizer/allocator_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
