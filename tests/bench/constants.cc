// Measures what packing the weights of products and convolutions is worth: a run with weights in
// the layout that its kernel likes, over one that gets them plain.
#include <fmt/format.h>
#include <cstdio>
#include <exception>
#include <loci/loci.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tests/bench/report.h"

namespace loci::bench {
namespace {

constexpr int kRepetitions = 25;

// A program of one operator, for both ways of reading its weights.
class Job {
 public:
  template <class Build>
  Job(const Shape& input, const Build& build) : input_(Tensor::empty(input, kFloat32)) {
    const ProgramGuard building(main_, startup_);
    input_.fill_(0.5);
    fetch_ = {build(data("x", input, kFloat32))};
  }

  // Over the number of runs that take about a millisecond.
  void run(Executor& executor, int times) {
    for (int i = 0; i < times; ++i) (void)executor.run(main_, {{"x", input_}}, fetch_);
  }
  void start(Executor& executor) { executor.run(startup_); }
  [[nodiscard]] std::size_t packed(const Executor& executor) const {
    return inspect::plan(executor, main_, {{"x", input_}}, fetch_).packed.size();
  }

 private:
  Tensor input_;
  Program main_;
  Program startup_;
  std::vector<Fetch> fetch_;
};

Executor executor_with(bool packs, const Scope& scope) {
  CompileOptions options;
  options.pack_constants = packs;
  return Executor("cpu", options, scope);
}

void measure(const std::string& name, Job job, Report* report) {
  const Scope scope;
  Executor packing = executor_with(true, scope);
  Executor plain = executor_with(false, scope);
  job.start(plain);
  const double once = median_ns({{"once", [&] { job.run(plain, 1); }}}, 5)[0];
  const int times = once > 1e6 ? 1 : static_cast<int>(1e6 / once);
  const std::vector<double> ns = median_ns(
      {{"packed", [&] { job.run(packing, times); }}, {"plain", [&] { job.run(plain, times); }}},
      kRepetitions);
  const std::string packs = job.packed(packing) > 0 ? "" : " (plain is what it likes)";
  report->add({name + packs, ns[0] / times / 1000, "us", true, "plain weights",
               ns[1] / times / 1000, std::nullopt});
}

void measure_product(std::int64_t m, std::int64_t k, std::int64_t n, Report* report) {
  measure(
      fmt::format("matmul {}x{} by {}x{}", m, k, k, n),
      Job({m, k},
          [&](const Variable& x) {
            return matmul(x, create_parameter({k, n}, kFloat32, initializer::uniform(-0.1, 0.1)));
          }),
      report);
}

void measure_convolution(std::int64_t channels, std::int64_t size, std::int64_t filters,
                         std::int64_t kernel, Report* report) {
  measure(fmt::format("conv2d 1x{}x{}x{} by {} of {}x{}", channels, size, size, filters, kernel,
                      kernel),
          Job({1, channels, size, size},
              [&](const Variable& x) {
                return layers::conv2d(x, filters, kernel, {.paddings = {kernel / 2, kernel / 2}});
              }),
          report);
}

}  // namespace
}  // namespace loci::bench

int main(int argc, char** argv) {
  try {
    loci::bench::Report report("constants", argc, argv);
    for (const std::int64_t m : {4, 64}) {
      loci::bench::measure_product(m, 784, 256, &report);
      loci::bench::measure_product(m, 768, 768, &report);
      loci::bench::measure_product(m, 768, 3072, &report);
      loci::bench::measure_product(m, 2048, 1000, &report);
    }
    loci::bench::measure_convolution(16, 14, 32, 3, &report);
    loci::bench::measure_convolution(64, 56, 64, 3, &report);
    loci::bench::measure_convolution(256, 14, 1024, 1, &report);
    loci::bench::measure_convolution(512, 7, 512, 3, &report);
    report.print();
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_constants: %s\n", error.what());
    return 1;
  }
}
