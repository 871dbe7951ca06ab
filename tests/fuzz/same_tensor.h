// Tensors compared as files hold them.
#pragma once

#include <loci/tensor.hpp>
#include <string_view>

namespace loci::fuzz {

// Of a tensor on the host.
inline std::string_view bytes_of(const Tensor& tensor) {
  return {static_cast<const char*>(tensor.raw_data()), tensor.bytes()};
}

// The same dtype, shape and bits.
inline bool same(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && a.shape() == b.shape() && bytes_of(a) == bytes_of(b);
}

}  // namespace loci::fuzz
