// Relations of two elements, and logic: bytes of 0 or 1.
#pragma once

#include <cstdint>

namespace loci::cuda {

struct Equal {
  template <class C>
  static __device__ std::uint8_t value(C x, C y) {
    return x == y ? 1 : 0;
  }
};

struct NotEqual {
  template <class C>
  static __device__ std::uint8_t value(C x, C y) {
    return x != y ? 1 : 0;
  }
};

struct Less {
  template <class C>
  static __device__ std::uint8_t value(C x, C y) {
    return x < y ? 1 : 0;
  }
};

struct LessEqual {
  template <class C>
  static __device__ std::uint8_t value(C x, C y) {
    return x <= y ? 1 : 0;
  }
};

struct And {
  static __device__ std::uint8_t value(std::uint8_t x, std::uint8_t y) { return x & y; }
};

struct Or {
  static __device__ std::uint8_t value(std::uint8_t x, std::uint8_t y) { return x | y; }
};

struct Not {
  static __device__ std::uint8_t value(std::uint8_t x) { return x ^ 1; }
};

}  // namespace loci::cuda
