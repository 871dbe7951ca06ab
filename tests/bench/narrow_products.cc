// Products of narrow elements against those of float32 of the same extents, in turns, at one thread
// and two.
#include <fmt/format.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include <cstdio>
#include <exception>
#include <loci/loci.hpp>
#include <optional>
#include <string>

#include "plugins/kernels/byte_product.h"
#include "tests/bench/report.h"

namespace loci::bench {
namespace {

constexpr int kRepetitions = 9;
constexpr double kInt8Speedup = 1.8;    // where the processor multiplies bytes
constexpr double kBFloat16Speedup = 3;  // where it multiplies tiles of bfloat16

struct Sizes {
  std::int64_t m;
  std::int64_t k;
  std::int64_t n;
};

// The sizes are those of models, and a square.
constexpr Sizes kSizes[] = {
    {128, 768, 768}, {128, 768, 3072}, {32, 768, 3072}, {49, 512, 4608}, {512, 512, 512}};

struct Narrow {
  DType dtype;
  const char* name;
  std::optional<double> speedup;
};

// AMX-BF16: leaf 7, bit 22 of EDX (Intel, Software Developer's Manual, volume 2, CPUID).
bool multiplies_bfloat16_tiles() {
#if defined(__x86_64__)
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (d & (1U << 22)) != 0;
#else
  return false;
#endif
}

std::string text_of(const Sizes& sizes) {
  return fmt::format("[{0},{1}]x[{1},{2}]", sizes.m, sizes.k, sizes.n);
}

void measure(const Sizes& sizes, const Narrow& narrow, int threads, Report* report) {
  const std::string name = fmt::format("{} {}, {}", narrow.name, text_of(sizes), threads);
  if (!report->is_wanted(name)) return;
  config::set_threads(threads);
  const Tensor x = randn({sizes.m, sizes.k}, 0, 10);
  const Tensor y = randn({sizes.k, sizes.n}, 0, 10);
  const Tensor narrow_x = cast(x, narrow.dtype);
  const Tensor narrow_y = cast(y, narrow.dtype);
  const std::vector<double> times =
      median_ns({{narrow.name, [&] { (void)matmul(narrow_x, narrow_y); }},
                 {"float32", [&] { (void)matmul(x, y); }}},
                kRepetitions);
  const double wide_us = times[1] / 1000;
  std::optional<double> budget;
  if (narrow.speedup) budget = wide_us / *narrow.speedup;
  report->add({name, times[0] / 1000, "us", true, "float32", wide_us, budget});
}

void measure(Report* report) {
  // A call returns when it is done.
  const SerialMode serial;
  const bool has_vnni = kernels::multiplies_bytes();
  if (!has_vnni) report->note("the processor, or what built this, multiplies no bytes");
  const bool has_amx = multiplies_bfloat16_tiles();
  if (!has_amx) report->note("the processor multiplies no tiles of bfloat16");
  const Narrow dtypes[] = {
      {kInt8, "int8", has_vnni ? std::optional(kInt8Speedup) : std::nullopt},
      {kBFloat16, "bfloat16", has_amx ? std::optional(kBFloat16Speedup) : std::nullopt},
      {kFloat16, "float16", std::nullopt},
  };
  for (const Narrow& narrow : dtypes) {
    for (const Sizes& sizes : kSizes) {
      for (const int threads : {1, 2}) measure(sizes, narrow, threads, report);
    }
  }
}

}  // namespace
}  // namespace loci::bench

int main(int argc, char** argv) {
  try {
    loci::bench::Report report("narrow-products", argc, argv);
    loci::bench::measure(&report);
    report.print();
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_narrow_products: %s\n", error.what());
    return 1;
  }
}
