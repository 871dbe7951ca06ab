// How a convolution by Winograd's method is cut into work.
#pragma once

#include <cstdint>
#include <loci/plugin/conv2d.hpp>

#include "plugins/kernels/image_layout.h"
#include "plugins/kernels/isa.h"
#include "plugins/kernels/winograd_filter.h"

namespace loci::kernels {

// Plain data, immutable. The result of each image is cut into tiles of outputs x outputs, those of
// all images numbered row by row. A block of tiles goes through the whole method at once: their
// inputs are transformed, [element of the transformed tile][tile][channel]; then, for each panel of
// filters, multiplied and transformed back.
struct WinogradPlan {
  // shape: 3 x 3, stride and dilation 1, one group, nothing empty. outputs: 2 or 4.
  WinogradPlan(const sdk::ConvShape& convolution, std::int64_t outputs, std::uint32_t threads,
               Isa instructions = best_isa());

  [[nodiscard]] std::int64_t tiles() const { return shape.batch * tile_rows * tile_columns; }
  [[nodiscard]] std::int64_t tiles_of(std::int64_t block_index) const;
  // Floats of the transformed inputs of one block, and of the products of a block with one panel.
  [[nodiscard]] std::int64_t input_size() const { return filter.tile_elements() * element_size; }
  [[nodiscard]] std::int64_t product_size() const { return block * product_row; }
  // Where slot's products begin in the workspace; the inputs of blocks, or of slots, come first.
  [[nodiscard]] std::int64_t product_offset(std::int64_t slot) const {
    return (shares_inputs ? blocks : slots) * input_size() + slot * product_size();
  }
  [[nodiscard]] std::uint64_t workspace_bytes() const {
    return static_cast<std::uint64_t>(product_offset(slots)) * sizeof(float);
  }

  Isa isa;
  sdk::ConvShape shape;
  ImageLayout x_layout = ImageLayout::kNchw;
  ImageLayout out_layout = ImageLayout::kNchw;  // of residuals, too
  WinogradFilter filter;                        // panels of two vectors
  std::int64_t tile_rows;
  std::int64_t tile_columns;
  std::int64_t block;   // tiles
  std::int64_t blocks;  // the last may have fewer tiles
  std::int64_t slots;   // in flight at once, each with memory of its own
  // With fewer blocks than threads: first all inputs are transformed, then panels divided.
  bool shares_inputs;
  // Floats from one to the next:
  std::int64_t input_row;     // tile of transformed inputs
  std::int64_t element_size;  // element
  std::int64_t product_row;   // tile of products, which are [tile][element][filter of the panel]
};

}  // namespace loci::kernels
