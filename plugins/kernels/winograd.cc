#include "plugins/kernels/winograd.h"

#include <atomic>
#include <cstdint>
#include <type_traits>

#include "plugins/kernels/isa_variant.h"
#include "plugins/kernels/winograd_input.h"
#include "plugins/kernels/winograd_output.h"
#include "plugins/kernels/winograd_product.h"

namespace loci::kernels {
namespace {

struct Arguments {
  const float* x;
  const float* packed;
  const PlaneEpilogue& epilogue;
  float* workspace;
  float* out;
};

template <int bytes, class Tile>
LOCI_INLINE inline void transform_inputs(const WinogradPlan& plan, const Arguments& arguments,
                                         std::int64_t block, std::int64_t channel, float* inputs) {
  const auto transform = [&]<class Rows>(std::type_identity<Rows>) LOCI_INLINE {
    winograd::for_runs(plan, block, [&](const winograd::Run& run) LOCI_INLINE {
      winograd::transform_run<bytes, Tile, Rows>(plan, arguments.x, run, channel, inputs);
    });
  };
  if (plan.x_layout == ImageLayout::kNhwc) {
    transform(std::type_identity<winograd::PixelRows<bytes>>());
  } else {
    transform(std::type_identity<winograd::ChannelRows<bytes>>());
  }
}

template <int bytes, class Tile>
LOCI_INLINE inline void run_panel(const WinogradPlan& plan, const Arguments& arguments,
                                  std::int64_t block, std::int64_t panel, const float* inputs,
                                  float* products) {
  winograd::multiply_block<bytes>(plan, plan.tiles_of(block), inputs,
                                  arguments.packed + panel * plan.filter.panel_size(), products);
  const auto finish = [&]<class Target>(std::type_identity<Target>) LOCI_INLINE {
    winograd::finish_block<bytes, Tile, Target>(plan, block, panel * plan.filter.width, products,
                                                arguments.epilogue, arguments.out);
  };
  if (plan.out_layout == ImageLayout::kNhwc) {
    finish(std::type_identity<winograd::OutputPixels>());
  } else {
    finish(std::type_identity<winograd::OutputTile>());
  }
}

// Calls work(item, slot) for each item, by as many threads as there are slots: a thread takes the
// next item when it is done with one.
template <class Work>
void share_out(const sdk::Host& host, std::int64_t items, std::int64_t slots, const Work& work) {
  std::atomic<std::int64_t> next{0};
  host.parallel_for(0, slots, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t slot = begin; slot < end; ++slot) {
      for (std::int64_t item = next++; item < items; item = next++) work(item, slot);
    }
  });
}

template <class Tile>
void convolve_by_blocks(const sdk::Host& host, const WinogradPlan& plan,
                        const Arguments& arguments) {
  share_out(host, plan.blocks, plan.slots, [&](std::int64_t block, std::int64_t slot) {
    float* inputs = arguments.workspace + slot * plan.input_size();
    float* products = arguments.workspace + plan.product_offset(slot);
    run_with(plan.isa, [&](auto vector) LOCI_INLINE {
      constexpr int kBytes = decltype(vector)::kBytes;
      for (std::int64_t c = 0; c < plan.filter.channels; c += FloatVector<kBytes>::kLanes) {
        transform_inputs<kBytes, Tile>(plan, arguments, block, c, inputs);
      }
      for (std::int64_t panel = 0; panel < plan.filter.panels(); ++panel) {
        run_panel<kBytes, Tile>(plan, arguments, block, panel, inputs, products);
      }
    });
  });
}

template <class Tile>
void convolve_by_panels(const sdk::Host& host, const WinogradPlan& plan,
                        const Arguments& arguments) {
  // A panel is two vectors wide.
  const std::int64_t groups =
      (plan.filter.channels * 2 + plan.filter.width - 1) / plan.filter.width;
  share_out(host, plan.blocks * groups, plan.slots, [&](std::int64_t item, std::int64_t) {
    const std::int64_t block = item / groups;
    run_with(plan.isa, [&](auto vector) LOCI_INLINE {
      constexpr int kBytes = decltype(vector)::kBytes;
      transform_inputs<kBytes, Tile>(plan, arguments, block,
                                     item % groups * FloatVector<kBytes>::kLanes,
                                     arguments.workspace + block * plan.input_size());
    });
  });
  const std::int64_t panels = plan.filter.panels();
  share_out(host, plan.blocks * panels, plan.slots, [&](std::int64_t item, std::int64_t slot) {
    const std::int64_t block = item % plan.blocks;
    run_with(plan.isa, [&](auto vector) LOCI_INLINE {
      run_panel<decltype(vector)::kBytes, Tile>(plan, arguments, block, item / plan.blocks,
                                                arguments.workspace + block * plan.input_size(),
                                                arguments.workspace + plan.product_offset(slot));
    });
  });
}

template <class Tile>
void convolve_tiles(const sdk::Host& host, const WinogradPlan& plan, const Arguments& arguments) {
  if (plan.shares_inputs) {
    convolve_by_panels<Tile>(host, plan, arguments);
  } else {
    convolve_by_blocks<Tile>(host, plan, arguments);
  }
}

}  // namespace

void convolve(const sdk::Host& host, const WinogradPlan& plan, const float* x, const float* packed,
              const PlaneEpilogue& epilogue, float* workspace, float* out) {
  const Arguments arguments{x, packed, epilogue, workspace, out};
  if (plan.filter.outputs == WinogradFour::kOutputs) {
    convolve_tiles<WinogradFour>(host, plan, arguments);
  } else {
    convolve_tiles<WinogradTwo>(host, plan, arguments);
  }
}

}  // namespace loci::kernels
