// The kernels of axis_vectors.cuh, as families prepare and launch them.
#pragma once

#include <cstdint>
#include <loci/plugin/kernel.hpp>
#include <string>

#include "kernels/kernel_function.h"
#include "kernels/thread_layouts.h"

namespace loci::cuda {

// One of the kernels of an operation, prepared. Immutable.
class AxisFunction {
 public:
  // NAME_rows_HELD or NAME_columns_HELD of the image. Throws Error.
  AxisFunction(const sdk::Prepare& prepare, const KernelImage& image, const std::string& name,
               const AxisVectors& vectors);

  // `arguments` is a struct that both sides share. Throws Error.
  template <class Arguments>
  void launch(const sdk::Launch& launch, const Arguments& arguments) const {
    function_.launch(launch, threads_, arguments, layout_);
  }

 private:
  VectorLayout layout_;
  std::int64_t threads_;
  KernelFunction function_;
};

}  // namespace loci::cuda
