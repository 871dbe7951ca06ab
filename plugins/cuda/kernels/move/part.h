// Parts of a tensor: from a start, in steps, along some axes.
#pragma once

#include <array>
#include <cstdint>
#include <loci/plugin/dims.hpp>
#include <loci/plugin/kernel.hpp>
#include <loci/plugin/slice.hpp>
#include <vector>

namespace loci::cuda {

// Bounds of a part, one for each of its axes: of attributes, or of an input that the host reads.
class Bounds {
 public:
  Bounds() = default;
  // The input of `slot` if it is there, else what `fixed` says; zeros if that is empty.
  Bounds(const sdk::OpDesc& op, std::uint32_t slot, const std::vector<std::int64_t>& fixed);

  [[nodiscard]] std::int64_t at(const sdk::Launch& launch, std::size_t i) const;

 private:
  bool is_input_ = false;
  std::uint32_t input_ = 0;
  std::array<std::int64_t, LOCI_MAX_RANK> fixed_{};
};

// Where a part lies in the whole.
class Part {
 public:
  // Takes a whole whose elements have so many bytes. `steps` are 1 where the list is empty.
  Part(sdk::Dims whole, std::int64_t element_bytes, const std::vector<std::int64_t>& axes,
       const std::vector<std::int64_t>& steps);

  // Bytes from one element to the next along each dimension of the whole.
  [[nodiscard]] sdk::Strides strides() const;
  // Returns the offset of the first element, in bytes.
  [[nodiscard]] std::int64_t offset(const sdk::Launch& launch, const Bounds& starts) const;
  // Returns how many elements it has along each dimension.
  [[nodiscard]] sdk::DimList extents(const sdk::Launch& launch, const Bounds& starts,
                                     const Bounds& ends) const;

 private:
  struct PartAxis {
    std::size_t axis;
    std::int64_t step;
  };

  sdk::DimList whole_;
  sdk::Strides dense_;
  std::size_t count_;
  std::array<PartAxis, LOCI_MAX_RANK> axes_{};
};

}  // namespace loci::cuda
