// Reads and writes of memory that other threads may write at once, as a kernel's memory is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace loci::cuda_double {

// Aligned to its size up to 8 bytes, unless checks are off and the kernel is wrong.
template <class T>
[[nodiscard]] inline T read_host(const std::byte* from) {
  T value;
  if constexpr (sizeof(T) <= 8) {
    __atomic_load(reinterpret_cast<const T*>(from), &value, __ATOMIC_RELAXED);
  } else {
    std::memcpy(&value, from, sizeof(T));
  }
  return value;
}

template <class T>
inline void write_host(std::byte* to, T value) {
  if constexpr (sizeof(T) <= 8) {
    __atomic_store(reinterpret_cast<T*>(to), &value, __ATOMIC_RELAXED);
  } else {
    std::memcpy(to, &value, sizeof(T));
  }
}

}  // namespace loci::cuda_double
