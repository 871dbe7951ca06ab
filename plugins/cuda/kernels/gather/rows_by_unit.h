// Functions that move rows, by the bytes that a thread moves at once.
#pragma once

#include <cstdint>
#include <loci/plugin/kernel.hpp>
#include <string>
#include <vector>

#include "kernels/launch/kernel_function.h"

extern "C" const unsigned long long loci_cuda_gather_rows[];

namespace loci::cuda {

// The kernels of gather_rows.cu of one stem and type of ids, a unit each. Immutable.
class RowsByUnit {
 public:
  RowsByUnit(const sdk::Prepare& prepare, const std::string& stem, loci_dtype ids,
             std::uint64_t row_bytes)
      : row_bytes_(row_bytes) {
    constexpr KernelImage kImage{"gather_rows", loci_cuda_gather_rows};
    for (std::uint64_t unit = 1; unit <= kMostBytes; unit *= 2) {
      const std::string name = stem + "_" + std::to_string(unit);
      functions_.emplace_back(prepare, kImage, typed_name(name, ids));
    }
  }

  // Calls launch(function, units of a row) for the longest unit that rows at these addresses are
  // made of.
  template <class Launch>
  void with_unit(const void* x, const void* y, const Launch& launch) const {
    const auto bits = reinterpret_cast<std::uintptr_t>(x) | reinterpret_cast<std::uintptr_t>(y);
    std::size_t unit = functions_.size() - 1;
    while ((bits | row_bytes_) % (std::uint64_t{1} << unit) != 0) --unit;
    launch(functions_[unit], static_cast<std::int64_t>(row_bytes_ >> unit));
  }

 private:
  static constexpr std::uint64_t kMostBytes = 16;

  std::uint64_t row_bytes_;
  std::vector<KernelFunction> functions_;
};

}  // namespace loci::cuda
