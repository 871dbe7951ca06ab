// The kernels of axis_vectors.cuh, as families prepare and launch them.
#pragma once

#include <cstdint>
#include <loci/plugin/kernel.hpp>
#include <string>

#include "kernels/launch/kernel_function.h"
#include "kernels/launch/thread_layouts.h"

namespace loci::cuda {

// Rows of a dtype that all vectors share, of an operation that has some.
struct SharedRows {
  int count = 0;
  loci_dtype dtype{};
};

// One of the kernels of an operation, prepared. Immutable.
class AxisFunction {
 public:
  // That kernel of the image whose name ends as `vectors` says. Throws Error.
  AxisFunction(const sdk::Prepare& prepare, const KernelImage& image, const std::string& name,
               const AxisVectors& vectors, const SharedRows& shared = {});

  // `arguments` is a struct that both sides share. Throws Error.
  template <class Arguments>
  void launch(const sdk::Launch& launch, const Arguments& arguments) const {
    function_.launch(launch, size_, arguments, layout_);
  }

 private:
  VectorLayout layout_;
  LaunchSize size_;
  KernelFunction function_;
};

}  // namespace loci::cuda
