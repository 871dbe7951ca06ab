// Reductions by the kernels of reduce.cuh, for the families that have some.
#pragma once

#include <cstdint>
#include <loci/plugin/kernel.hpp>
#include <loci/plugin/reduction.hpp>
#include <optional>
#include <string>

#include "kernels/launch/kernel_function.h"
#include "kernels/launch/thread_layouts.h"

namespace loci::cuda {

// For what treats integers of both signs alike: the unsigned one of an integer dtype.
loci_dtype bits_of(loci_dtype dtype);

// For folds without a parameter of their own.
inline constexpr double kNoExtra = 0;

// One reduction, prepared. Immutable.
class Reduction {
 public:
  // Reduces by the kernels NAME_rows, NAME_columns and NAME_parts of the image. Throws Error.
  Reduction(const sdk::Prepare& prepare, const KernelImage& image, const std::string& name,
            const sdk::ReducePlan& plan, loci_dtype dtype);

  // Bytes of `partial`.
  [[nodiscard]] std::uint64_t partial_bytes() const;

  // `extra` has the type of the fold's own parameter. Throws Error.
  template <class Extra>
  void launch(const sdk::Launch& launch, const void* x, void* out, Extra extra,
              void* partial) const {
    fold_.launch(launch, threads_, x, out, extra, partial, layout_);
    if (fold_parts_) {
      fold_parts_->launch(launch, threads_of_parts(layout_), x, out, extra, partial, layout_);
    }
  }

 private:
  ReduceLayout layout_;
  std::int64_t threads_;
  KernelFunction fold_;
  std::optional<KernelFunction> fold_parts_;
};

}  // namespace loci::cuda
