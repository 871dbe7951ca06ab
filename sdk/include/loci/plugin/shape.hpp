// The kernel of shape, whose result is on the host: it does nothing that a device could do, so that
// any plugin may list it for its devices.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <loci/plugin/kernel.hpp>

namespace loci::sdk {

struct ShapeExtents {
  void launch(const Launch& launch) const {
    auto* out = launch.output<std::int32_t>(0);
    for (std::size_t i = 0; i < rank; ++i) out[i] = extents[i];
  }
  std::size_t rank;
  std::array<std::int32_t, LOCI_MAX_RANK> extents;
};

// For make_kernel().
inline void prepare_shape(Prepare& prepare) {
  const Dims dims = prepare.op().input(0).dims();
  ShapeExtents result{dims.size(), {}};
  for (std::size_t i = 0; i < dims.size(); ++i) {
    result.extents[i] = static_cast<std::int32_t>(dims[i]);
  }
  prepare.emplace<ShapeExtents>(result);
}

}  // namespace loci::sdk
