#include "plugins/cpu/onednn/conv_faults.h"

#include <cstddef>

namespace loci::cpu::onednn {
namespace {

// Returns the channels of one group.
std::int64_t channels_of(const ConvPart& part) {
  const dnnl::memory::dims& extents = part.filter.extents;
  return extents[extents.size() - 3];
}

// A window of one pixel with strides: it copies the pixels that windows see into its scratchpad,
// some at a time. It counts from a copied pixel to the next by whole blocks of channels, while they
// lie without gaps, and so writes behind the scratchpad where a pixel has fewer channels. Seen with
// AVX2 (571 of 6,528 shapes); with AVX-512, of the same source, in none of them.
bool overruns_scratchpad(const FilterGradPrimitive& primitive, const ConvPart& part) {
  const dnnl::memory::dims& strides = part.windows.strides;
  return primitive.reads_nhwc && primitive.implementation.find("1x1") != std::string_view::npos &&
         (strides[0] != 1 || strides[1] != 1) && channels_of(part) < primitive.channel_block;
}

// Where channels are no whole blocks, it steps from a row of the window to the next one twice: over
// the rows that dilation leaves out once more than there are, into what was never written.
bool skips_rows_twice(const FilterGradPrimitive& primitive, const ConvPart& part) {
  return primitive.reads_nhwc && part.windows.dilations[0] != 0 &&
         channels_of(part) % primitive.channel_block != 0;
}

// It lays rows out by columns modulo the stride, and writes the padding of those residues alone
// that some column has.
bool leaves_padding_unwritten(const ConvPart& part) {
  return part.x.extents[3] < part.windows.strides[1];
}

}  // namespace

std::string_view filter_grad_fault(const FilterGradPrimitive& primitive, const ConvPart& part) {
  if (overruns_scratchpad(primitive, part)) return "it writes behind its scratchpad";
  if (!primitive.is_bf16) return {};
  if (skips_rows_twice(primitive, part)) return "it reads rows of the image that there are not";
  if (leaves_padding_unwritten(part)) return "it reads padding that it has not written";
  return {};
}

}  // namespace loci::cpu::onednn
