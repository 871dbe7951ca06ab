// oneDNN is known to get some gradients of filters wrong, by its sources from 2.6.3 to 3.7.1, so
// that other kernels have to be taken there.
#pragma once

#include <cstdint>
#include <string_view>

#include "plugins/cpu/onednn/conv_part.h"

namespace loci::cpu::onednn {

// How a primitive for the gradient of a filter was found.
struct FilterGradPrimitive {
  std::string_view implementation;  // oneDNN's name of it
  bool reads_nhwc;                  // images whose channels are last
  bool is_bf16;                     // natively
  std::int64_t channel_block;       // what it blocks channels by
};

// Why it must not be used for that part of a convolution; empty if it may.
std::string_view filter_grad_fault(const FilterGradPrimitive& primitive, const ConvPart& part);

}  // namespace loci::cpu::onednn
