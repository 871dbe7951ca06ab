// The arguments of the launches of convolutions, by the shapes of these.
#pragma once

#include <cstdint>
#include <loci/plugin/conv2d.hpp>

#include "kernels/conv2d/conv2d_gather.h"

namespace loci::cuda {

// With the division by it.
[[nodiscard]] Extent extent_of(std::int64_t count);

// Throws Error of the code LOCI_CODE_UNSUPPORTED for windows, and tensors, that the kernels cannot
// count.
void require_counted(const sdk::ConvShape& shape);

// The forward pass. Weights are the filter, rows its filters, and the source the image.
[[nodiscard]] ConvGather gather_of(const sdk::ConvShape& shape);
// The gradient of the image. Weights are the filter, rows the image's channels, and the source is
// the gradient of the result.
[[nodiscard]] ConvGather image_grad_of(const sdk::ConvShape& shape);

// How blocks share the work.
enum class ConvForm { kManyRows, kFewRows, kPatch, kDirect };

// Returns what suits a device of so many multiprocessors; sums have one order in any form.
[[nodiscard]] ConvForm form_of(const ConvGather& gather, std::uint32_t multiprocessors);
// Returns true if it may be summed by patches.
[[nodiscard]] bool has_patches(const ConvGather& gather);
// Sets the tiles of the form. How many threads there is work for.
std::int64_t take_form(ConvGather& gather, ConvForm form);
// Sets the tiles of patches, by threads of so many turns where rows suffice; gives threads.
std::int64_t take_patches(ConvGather& gather, std::int64_t turns);

// The gradient of the filter, as suits any device: parts, and so results, depend on the shape
// alone. Tiles are of weights: rows, by channels and taps.
struct ConvFilterPlan {
  explicit ConvFilterPlan(const sdk::ConvShape& shape);
  ConvFilterPlan(const sdk::ConvShape& shape, ConvForm form);

  ConvGather gather;  // of the forward pass
  ConvForm form;
  std::int64_t weights;
  ConvParts parts;
  std::int64_t threads;
};

}  // namespace loci::cuda
