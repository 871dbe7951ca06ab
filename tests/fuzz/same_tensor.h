// Tensors compared as files hold them.
#pragma once

#include <loci/tensor.hpp>
#include <string_view>

namespace loci::fuzz {

// Takes a tensor on the host.
inline std::string_view bytes_of(const Tensor& tensor) {
  return {static_cast<const char*>(tensor.raw_data()), tensor.bytes()};
}

// Returns true if dtype, shape and bits are equal.
inline bool same(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && a.shape() == b.shape() && bytes_of(a) == bytes_of(b);
}

}  // namespace loci::fuzz
