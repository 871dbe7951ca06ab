// Convolutions as the plugin takes them, and by the ways that it has besides: by one library or
// another, by that algorithm of a library's that was the fastest, and by the plugin's own kernels.
#include <fmt/format.h>

#include <cstdlib>
#include <loci/loci.hpp>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tests/bench/cuda_bench.h"
#include "tests/bench/recorded_work.h"

namespace loci::bench {
namespace {

constexpr int kRecordedConvolutions = 10;  // in a graph

struct ConvSizes {
  std::int64_t batch;
  std::int64_t channels;
  std::int64_t extent;
  std::int64_t filters;
  std::int64_t kernel;
};

// A setting while it lives.
class Setting {
 public:
  Setting(std::string name, const std::string& value) : name_(std::move(name)) {
    const char* before = std::getenv(("LOCI_" + name_).c_str());
    if (before != nullptr) before_ = before;
    config::set(name_, value);
  }
  ~Setting() { config::set(name_, before_); }
  Setting(const Setting&) = delete;
  Setting& operator=(const Setting&) = delete;

 private:
  std::string name_;
  std::string before_;
};

double tera_of(const ConvSizes& sizes, double us) {
  const std::int64_t results = sizes.batch * sizes.filters * sizes.extent * sizes.extent;
  const std::int64_t terms = sizes.channels * sizes.kernel * sizes.kernel;
  return 2.0 * static_cast<double>(results) * static_cast<double>(terms) / us / 1e6;
}

std::string name_of(DType dtype, const ConvSizes& sizes) {
  return fmt::format("conv2d: {} [{}, {}, {}, {}] by {} filters of {}", dtype_name(dtype),
                     sizes.batch, sizes.channels, sizes.extent, sizes.extent, sizes.filters,
                     sizes.kernel);
}

double rate_of(const CudaBench& bench, DType dtype, const ConvSizes& sizes) {
  const auto there = [&](const Shape& shape) {
    return cast(randn(shape, 0, 1, kFloat32, "cuda:0"), dtype);
  };
  const Tensor x = there({sizes.batch, sizes.channels, sizes.extent, sizes.extent});
  const Tensor filter = there({sizes.filters, sizes.channels, sizes.kernel, sizes.kernel});
  Conv2dOptions options;
  options.paddings = {sizes.kernel / 2, sizes.kernel / 2};
  const int count = bench.sized(kRecordedConvolutions, 1);
  RecordedOps recorded([&] { return conv2d(x, filter, options); }, count);
  return tera_of(sizes, bench.us_in_turns({recorded.work()}).front() / count);
}

using Rates = std::map<std::string, double>;  // by name_of()

// Measures the convolutions with windows of so many pixels, or all. The plugin reads its settings
// when it is made, so that each way has a context of its own, with an instance of its own.
Rates rates_of(const CudaBench& bench, const std::vector<ConvSizes>& all,
               std::optional<std::int64_t> kernel = std::nullopt) {
  const Context context;
  const ContextGuard within(context);
  const FallbackGuard on_the_device{FallbackPolicy::kError};
  Rates rates;
  for (const DType dtype : {kFloat32, kFloat16, kBFloat16}) {
    for (const ConvSizes& sizes : all) {
      const std::string name = name_of(dtype, sizes);
      const bool is_asked = !kernel || sizes.kernel == *kernel;
      if (is_asked && bench.report.is_wanted(name)) rates[name] = rate_of(bench, dtype, sizes);
    }
  }
  return rates;
}

void add_rows(const CudaBench& bench, const Rates& rates, const std::string& way,
              const Rates& own) {
  for (const auto& [name, rate] : rates) {
    bench.add({name + way, rate, "TFLOP/s", false, "the plugin's own kernels", own.at(name),
               std::nullopt});
  }
}

Rates own_rates(const CudaBench& bench, const std::vector<ConvSizes>& sizes) {
  const Setting products("CUDA_CUBLASLT", "0");
  const Setting convolutions("CUDA_CUDNN", "0");
  return rates_of(bench, sizes);
}

}  // namespace

void measure_conv2d(const CudaBench& bench) {
  const std::vector<ConvSizes> sizes =
      bench.emulated ? std::vector<ConvSizes>{{1, 2, 4, 4, 3}, {1, 2, 4, 4, 1}}
                     : std::vector<ConvSizes>{{32, 64, 56, 64, 3},
                                              {32, 256, 14, 256, 3},
                                              {32, 256, 56, 64, 1},
                                              {32, 1024, 14, 256, 1}};
  const Rates own = own_rates(bench, sizes);
  if (own.empty()) return;
  add_rows(bench, rates_of(bench, sizes), "", own);
  {
    const Setting without_products("CUDA_CUBLASLT", "0");
    add_rows(bench, rates_of(bench, sizes, 1), ", by cuDNN", own);
  }
  {
    const Setting tried("CUDA_TUNE", "1");
    add_rows(bench, rates_of(bench, sizes), ", by the fastest algorithm of those tried", own);
  }
  bench.report.note(
      "conv2d: windows of one pixel are products by cuBLASLt, and others go through cuDNN; where "
      "neither is found, all are the plugin's own kernels");
}

}  // namespace loci::bench
