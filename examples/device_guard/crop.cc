#include "crop.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <loci/loci.hpp>
#include <optional>
#include <stdexcept>
#include <vector>

namespace device_guard {
namespace {

constexpr int kRuns = 10;

struct Crop {
  loci::Program main;
  loci::Program startup;
  loci::Variable out;
};

Crop build(bool guarded) {
  Crop crop;
  const loci::ProgramGuard building(crop.main, crop.startup);
  const loci::Variable data1 = loci::fill_constant({1, 3, 8, 8}, 0.5);
  const loci::Variable data2 = loci::fill_constant({1, 3, 5, 5}, 0.5);
  loci::Variable extents = loci::shape(data2);
  {
    std::optional<loci::DeviceGuard> on_cpu;
    if (guarded) on_cpu.emplace(loci::Place("cpu"));
    extents = loci::slice(extents, {0}, {0}, {4});
  }
  crop.out = loci::crop_tensor(data1, extents);
  return crop;
}

bool is_own(const loci::inspect::Transfer& row) {
  return row.reason != "feed" && row.reason != "fetch";
}

struct Outcome {
  std::size_t synchronous = 0;
  std::vector<loci::inspect::Transfer> rows;  // of the last run
  std::vector<float> result;
};

Outcome run(const Crop& crop, const std::string& device, const loci::CompileOptions& options) {
  loci::Executor executor(loci::Place{device}, options, loci::Scope{});
  Outcome outcome;
  for (int i = 0; i < kRuns; ++i) {
    const std::size_t before = loci::inspect::transfers().size();
    outcome.result = executor.run(crop.main, {}, {crop.out}).front().to_vector<float>();
    std::vector<loci::inspect::Transfer> rows = loci::inspect::transfers();
    rows.erase(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(before));
    rows.erase(std::remove_if(rows.begin(), rows.end(),
                              [](const loci::inspect::Transfer& row) { return !is_own(row); }),
               rows.end());
    for (const auto& row : rows) outcome.synchronous += row.host_waited ? 1U : 0U;
    outcome.rows = rows;
  }
  return outcome;
}

void print(const char* what, const Outcome& as_written, const Outcome& by_default) {
  std::printf("%-24s %11zu %11zu\n", what, as_written.synchronous, by_default.synchronous);
  for (const loci::inspect::Transfer& row : as_written.rows) {
    std::printf("    %s, %llu bytes, %s -> %s for %s (%s)\n", row.variable.c_str(),
                static_cast<unsigned long long>(row.bytes), row.from.c_str(), row.to.c_str(),
                row.consumer.c_str(), row.reason.c_str());
  }
}

}  // namespace

void crop(const std::string& device, const std::string& program) {
  const Crop plain = build(/*guarded=*/false);
  const Crop guarded = build(/*guarded=*/true);
  loci::io::save_program(program, plain.main, plain.startup);
  const Outcome without = run(plain, device, loci::CompileOptions::none());
  const Outcome with = run(guarded, device, loci::CompileOptions::none());
  std::printf("copies that the host waits for, %d runs on %s\n", kRuns, device.c_str());
  std::printf("%-24s %11s %11s\n", "", "as written", "by default");
  print("without a guard", without, run(plain, device, loci::CompileOptions()));
  print("slice on the CPU", with, run(guarded, device, loci::CompileOptions()));
  std::printf("the program: %s\n", program.c_str());
  if (with.synchronous != 0 || with.result != without.result) {
    throw std::runtime_error("the guard does not do what it is for");
  }
}

}  // namespace device_guard
