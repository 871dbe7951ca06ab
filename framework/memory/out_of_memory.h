// The error that says where the memory went.
#pragma once

#include <string>

#include "framework/memory/allocator.h"
#include "framework/memory/memory_source.h"

namespace loci::memory {

// "1.50 GiB", "12 bytes".
std::string format_bytes(std::uint64_t bytes);

// Throws Error(kOutOfMemory). `cause` is what the source said, or empty.
[[noreturn]] void raise_out_of_memory(const Allocator& allocator, const MemorySource& source,
                                      std::uint64_t asked, const char* name,
                                      const std::string& cause);

}  // namespace loci::memory
