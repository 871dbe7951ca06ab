// Copies on the device between strided arrangements, by strided_copy.cu.
#pragma once

#include <array>
#include <loci/plugin/strided_copy.hpp>
#include <vector>

#include "kernels/launch/kernel_function.h"
#include "kernels/move/strided_axes.h"

namespace loci::cuda {

// Any strided copy of a device. Immutable.
class StridedCopier {
 public:
  // Throws Error.
  explicit StridedCopier(const sdk::Prepare& prepare);

  // Enqueues what `plan` says, which is resolved, unless it is empty. Throws Error.
  void launch(const sdk::Launch& launch, const sdk::StridedCopyPlan& plan, const char* from,
              char* to) const;

 private:
  void launch_rows(const sdk::Launch& launch, const sdk::StridedCopyPlan& plan, const char* from,
                   char* to, int width) const;
  void launch_tiles(const sdk::Launch& launch, const TransposedAxes& axes, const char* from,
                    char* to, int width) const;

  // The functions, indexed by the logarithm of a unit's bytes.
  std::vector<KernelFunction> rows_;
  std::vector<KernelFunction> tiles_;
  std::vector<KernelFunction> squares_;
};

// The logarithm of the most bytes, up to 16, that can be moved at once if both sides begin at
// multiples of `alignment`, a power of two.
int copy_width(const sdk::StridedCopyPlan& plan, std::uint64_t alignment);

// The positions of units of 2^width bytes.
StridedAxes strided_axes(const sdk::StridedCopyPlan& plan, int width);
TransposedAxes transposed_axes(const sdk::StridedCopyPlan& plan);

// Returns true if units of 2^width bytes are whole squares of whole vectors, if both sides begin at
// multiples of `alignment`, a power of two.
bool are_squares(const TransposedAxes& axes, int width, std::uint64_t alignment);

// In tiles of `side` units by `side`.
TransposedTiles transposed_tiles(const TransposedAxes& axes, std::int64_t side);

}  // namespace loci::cuda
