// The part of an operator's epilogue that a library leaves to a kernel of our own.
#pragma once

#include <cstdint>
#include <loci/plugin/kernel.hpp>

#include "kernels/conv2d/conv2d_op.h"
#include "kernels/conv2d/conv2d_shape.h"
#include "kernels/launch/kernel_function.h"

namespace loci::cuda {

// Sums are in memory, in the type that they were computed in; maybe where results are to be.
class LeftConvEpilogue {
 public:
  // The steps of the epilogue that the library has done.
  struct Done {
    bool residual = false;
    bool activation = false;
  };

  LeftConvEpilogue(const sdk::Prepare& prepare, const ConvEpilogueOp& op,
                   const sdk::ConvShape& shape, Done done);

  void launch(const sdk::Launch& launch, const void* sums) const;

 private:
  KernelFunction function_;
  ConvEpilogueOp op_;
  Done done_;
  std::int64_t vectors_;
  std::int64_t count_;
  Extent plane_;
  Extent channels_;
};

}  // namespace loci::cuda
