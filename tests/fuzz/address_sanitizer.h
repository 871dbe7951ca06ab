// Says if this is built with the address sanitizer: LOCI_FUZZ_ASAN is defined then, and its
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
#include <sanitizer/common_interface_defs.h>

#include <cstddef>

// clang brings sanitizer/allocator_interface.h, which has these, and g++ does not.
extern "C" {
std::size_t __sanitizer_get_allocated_size(const volatile void* memory);
int __sanitizer_install_malloc_and_free_hooks(void (*on_malloc)(const volatile void* memory,
                                                                std::size_t bytes),
                                              void (*on_free)(const volatile void* memory));
}
#endif
