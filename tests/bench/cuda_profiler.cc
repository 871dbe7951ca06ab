// Measures what a profile of device work costs: a step of small operators with and without it.
#include <loci/loci.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/bench/cuda_bench.h"
#include "tests/support/scratch_directory.h"

namespace loci::bench {
namespace {

constexpr double kMostCost = 1.05;

// Returns what a report says of how its times came about.
std::vector<std::string> remarks_of(const std::string& report) {
  return nlohmann::json::parse(report).at("quality").at("notes");
}

// Without CUPTI events tell the times, for which nothing is asked.
bool is_by_events(const std::string& remark) {
  return remark.find("CUDA events") != std::string::npos;
}

}  // namespace

void measure_profiler(const CudaBench& bench) {
  const std::string row = "profiler: two products and a softmax, device work recorded";
  if (!bench.report.is_wanted(row)) return;
  const FallbackGuard on_the_device{FallbackPolicy::kError};
  const std::int64_t side = bench.sized(1024, 16);
  const Tensor x = full({side, side}, 0.01, kFloat32).to("cuda:0");
  const auto step = [&] { (void)softmax(matmul(relu(matmul(x, x)), x)); };
  const auto steps = [&] {
    for (int i = 0; i < bench.sized(200, 1); ++i) step();
    synchronize("cuda:0");
  };
  // A session begins and ends in each turn; what that costs once is not the operators'.
  const test::ScratchDirectory scratch;
  const auto profiled_us = [&] {
    Profiler profiler(ProfilerOptions().state("gpu").reporter("json=" + scratch.path("profile")));
    return bench.us_in_turns({{steps, [] {}}})[0];
  };
  const double first_plain = bench.us_in_turns({{steps, [] {}}})[0];
  const double profiled = profiled_us();
  const double plain = (first_plain + bench.us_in_turns({{steps, [] {}}})[0]) / 2;
  bool by_events = false;
  for (const std::string& remark : remarks_of(scratch.read("profile"))) {
    bench.report.note("profile: " + remark);
    by_events = by_events || is_by_events(remark);
  }
  if (by_events) {
    bench.add({row, profiled, "us", /*less_is_better=*/true, "without a profile", plain});
  } else {
    bench.add(row, profiled, "us", /*less_is_better=*/true, "without a profile", plain, kMostCost);
  }
}

}  // namespace loci::bench
