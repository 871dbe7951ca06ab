#include "framework/reporting/peaks.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <loci/executor.hpp>
#include <loci/ops.hpp>
#include <loci/version.hpp>
#include <vector>

#include "framework/core/atomic_file.h"
#include "framework/core/log.h"
#include "framework/core/thread_team.h"

namespace loci::reporting {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr Seconds kLongEnough{0.02};  // for one run, that its overhead does not count
constexpr Seconds kTime{0.2};         // for all runs of a kind

// A program of one operator whose result stays at the place.
class Probe {
 public:
  // `make` adds the operators and returns the result; it may use persistable variables.
  Probe(const Place& place, const std::function<Variable()>& make)
      : executor_(place, CompileOptions::exact(), scope_) {
    const ProgramGuard building(main_, startup_);
    // One element is fetched, so that the operator is not left out and nothing large is copied.
    result_ = slice(flatten(make()), {0}, {0}, {1}).name();
    executor_.run(startup_);
  }

  Seconds run() {
    const auto start = Clock::now();
    executor_.run(main_, {}, {result_});
    return Clock::now() - start;
  }
  // The best of all runs for which there is time.
  Seconds best() {
    const auto end = Clock::now() + kTime;
    Seconds best = run();
    while (Clock::now() < end) best = std::min(best, run());
    return best;
  }

 private:
  static Variable flatten(const Variable& value) { return reshape(value, {-1}); }

  Program main_;
  Program startup_;
  Scope scope_;
  Executor executor_;
  std::string result_;
};

Variable filled(const Shape& shape, const char* name) {
  return create_persistable(shape, kFloat32, initializer::constant(1.0), name);
}

// Doubles the size until one run takes long enough, or the largest is reached.
double best_rate(const Place& place, std::int64_t size, std::int64_t largest,
                 const std::function<Variable(std::int64_t)>& make,
                 const std::function<double(std::int64_t)>& work) {
  for (;; size *= 2) {
    Probe probe(place, [&] { return make(size); });
    probe.run();  // compiles the plan and touches the memory
    if (size < largest && probe.run() < kLongEnough) continue;
    return work(size) / probe.best().count();
  }
}

double parse(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? value : 0;
}

}  // namespace

Peaks measure_peaks(const Place& place) {
  const auto cube = [](std::int64_t n) {
    const auto extent = static_cast<double>(n);
    return 2 * extent * extent * extent;
  };
  Peaks peaks;
  peaks.flops = best_rate(
      place, 256, 4096,
      [](std::int64_t n) {
        return matmul(filled({n, n}, "peak_a"), filled({n, n}, "peak_b"));
      },
      cube);
  peaks.bytes = best_rate(
      place, std::int64_t{1} << 22, std::int64_t{1} << 26,
      [](std::int64_t n) { return assign(filled({n}, "peak_source")); },
      [](std::int64_t n) { return 2.0 * sizeof(float) * static_cast<double>(n); });
  return peaks;
}

std::string PeakCache::directory_of_user() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && cache[0] == '/') return std::string(cache) + "/loci/peaks";
  const char* home = std::getenv("HOME");
  if (home != nullptr && home[0] == '/') return std::string(home) + "/.cache/loci/peaks";
  return {};
}

// The name says all that the figures hang on.
std::string PeakCache::path_of(const device::Device& device) const {
  std::string name =
      fmt::format("{}-{}-{}-{}threads-{}", device.place().to_string(), device.info().name,
                  device.info().driver, core::parallel_width(), version());
  for (char& c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!plain && c != '-' && c != '.') c = '_';
  }
  constexpr std::size_t kMostName = 200;  // a file name has 255 bytes
  return fmt::format("{}/{}", directory_, name.substr(0, kMostName));
}

std::optional<Peaks> PeakCache::find(const device::Device& device) const {
  if (directory_.empty()) return std::nullopt;
  std::ifstream file(path_of(device));
  std::string flops;
  std::string bytes;
  if (!(file >> flops >> bytes)) return std::nullopt;
  const Peaks peaks{parse(flops), parse(bytes)};
  if (peaks.flops <= 0 || peaks.bytes <= 0) return std::nullopt;
  return peaks;
}

void PeakCache::keep(const device::Device& device, const Peaks& peaks) const {
  if (directory_.empty()) return;
  try {
    std::filesystem::create_directories(directory_);
    core::AtomicFile file(path_of(device), core::Links::kReplace);
    const std::string text = fmt::format("{} {}\n", peaks.flops, peaks.bytes);
    file.write(text.data(), text.size());
    file.commit();
  } catch (const std::exception& error) {
    core::log(core::Module::kProfiler, core::Level::kDebug, "peaks are not kept: {}", error.what());
  }
}

}  // namespace loci::reporting
