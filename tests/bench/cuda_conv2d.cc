// Convolutions as the plugin takes them, which is by cuDNN where that is found, against its own
// kernels.
#include <fmt/format.h>

#include <loci/loci.hpp>
#include <optional>
#include <vector>

#include "tests/bench/cuda_bench.h"

namespace loci::bench {
namespace {

struct ConvSizes {
  std::int64_t batch;
  std::int64_t channels;
  std::int64_t extent;
  std::int64_t filters;
  std::int64_t kernel;
};

double tera_of(const ConvSizes& sizes, double us) {
  const std::int64_t results = sizes.batch * sizes.filters * sizes.extent * sizes.extent;
  const std::int64_t terms = sizes.channels * sizes.kernel * sizes.kernel;
  return 2.0 * static_cast<double>(results) * static_cast<double>(terms) / us / 1e6;
}

// The image begins an element behind an aligned address for the own kernels, which read it element
// by element wherever it is; the library is not asked then.
void measure_convolution(const CudaBench& bench, DType dtype, const ConvSizes& sizes) {
  const std::string row =
      fmt::format("conv2d: {} [{}, {}, {}, {}] by {} filters of {}", dtype_name(dtype), sizes.batch,
                  sizes.channels, sizes.extent, sizes.extent, sizes.filters, sizes.kernel);
  if (!bench.report.is_wanted(row)) return;
  const auto there = [&](std::int64_t count) {
    return cast(randn({count}, 0, 1, kFloat32, "cuda:0"), dtype);
  };
  const Shape image{sizes.batch, sizes.channels, sizes.extent, sizes.extent};
  const Tensor all = there(image.numel() + 1);
  const Tensor x = all.rows(0, image.numel()).reshaped(image);
  const Tensor shifted = all.rows(1, image.numel() + 1).reshaped(image);
  const Tensor filter = there(sizes.filters * sizes.channels * sizes.kernel * sizes.kernel)
                            .reshaped({sizes.filters, sizes.channels, sizes.kernel, sizes.kernel});
  Conv2dOptions options;
  options.paddings = {sizes.kernel / 2, sizes.kernel / 2};
  const auto wait = [] { synchronize("cuda:0"); };
  const auto us = bench.us_in_turns({{[&] { (void)conv2d(x, filter, options); }, wait},
                                     {[&] { (void)conv2d(shifted, filter, options); }, wait}});
  bench.add({row, tera_of(sizes, us[0]), "TFLOP/s", false, "the plugin's own kernels",
             tera_of(sizes, us[1]), std::nullopt});
}

}  // namespace

void measure_conv2d(const CudaBench& bench) {
  const FallbackGuard on_the_device{FallbackPolicy::kError};
  const std::vector<ConvSizes> sizes =
      bench.emulated ? std::vector<ConvSizes>{{1, 2, 4, 4, 3}}
                     : std::vector<ConvSizes>{
                           {32, 64, 56, 64, 3}, {32, 256, 14, 256, 3}, {32, 256, 56, 64, 1}};
  for (const DType dtype : {kFloat32, kFloat16, kBFloat16}) {
    for (const ConvSizes& each : sizes) measure_convolution(bench, dtype, each);
  }
  if (bench.report.is_wanted("conv2d: ")) {
    bench.report.note("conv2d: where cuDNN is not found, both are the plugin's own kernels");
  }
}

}  // namespace loci::bench
