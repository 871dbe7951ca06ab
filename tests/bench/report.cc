#include "tests/bench/report.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <thread>

namespace loci::bench {
namespace {

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.rfind("model name", 0) == 0 && colon != std::string::npos) {
      return line.substr(colon + 2);
    }
  }
  return "unknown processor";
}

std::string machine() {
  return fmt::format("{}, {} threads", processor(), std::thread::hardware_concurrency());
}

template <class T>
nlohmann::json or_null(const std::optional<T>& value) {
  return value ? nlohmann::json(*value) : nlohmann::json(nullptr);
}

// Collects the real time of every repetition.
class Collector : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.run_type == Run::RT_Iteration) {
        times[run.run_name.function_name].push_back(run.GetAdjustedRealTime());
      }
    }
  }
  std::map<std::string, std::vector<double>> times;
};

}  // namespace

std::optional<double> Row::ratio() const {
  if (!peer_value || *peer_value == 0) return std::nullopt;
  return value / *peer_value;
}

std::optional<bool> Row::met() const {
  if (!budget) return std::nullopt;
  return less_is_better ? value <= *budget : value >= *budget;
}

Report::Report(std::string bench, int argc, char** argv) : bench_(std::move(bench)) {
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    if (option == "--json") {
      json_ = true;
    } else if (option == "--only" && i + 1 < argc) {
      only_ = argv[++i];
    } else {
      throw std::invalid_argument(
          fmt::format("{}: no option {}; there are --json and --only TEXT", bench_, option));
    }
  }
}

void Report::print() const { json_ ? print_json() : print_table(); }

void Report::print_json() const {
  nlohmann::json rows = nlohmann::json::array();
  for (const Row& row : rows_) {
    rows.push_back({{"name", row.name},
                    {"value", row.value},
                    {"unit", row.unit},
                    {"better", row.less_is_better ? "less" : "more"},
                    {"peer", row.peer.empty() ? nlohmann::json(nullptr) : nlohmann::json(row.peer)},
                    {"peer_value", or_null(row.peer_value)},
                    {"ratio", or_null(row.ratio())},
                    {"budget", or_null(row.budget)},
                    {"met", or_null(row.met())}});
  }
  const nlohmann::json object{{"bench", bench_}, {"machine", machine()}, {"rows", rows}};
  fmt::print("{}\n", object.dump(2));
}

void Report::print_table() const {
  fmt::print("{} on {}\n", bench_, machine());
  for (const Row& row : rows_) {
    fmt::print("  {:44} {:10.2f} {:6}", row.name, row.value, row.unit);
    if (row.budget) {
      fmt::print("  budget {} {:g}: {}", row.less_is_better ? "<=" : ">=", *row.budget,
                 *row.met() ? "met" : "MISSED");
    }
    if (row.peer_value) fmt::print("  {}: {:.2f}", row.peer, *row.peer_value);
    if (const auto ratio = row.ratio()) fmt::print(" (ratio {:.3f})", *ratio);
    fmt::print("\n");
  }
  for (const std::string& note : notes_) fmt::print("  note: {}\n", note);
}

double median(std::vector<double> values) {
  if (values.empty()) throw std::runtime_error("a benchmark gave no times");
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

std::vector<double> median_ns(
    const std::vector<std::pair<std::string, std::function<void()>>>& bodies, int repetitions) {
  Collector collector;
  for (const auto& [name, body] : bodies) {
    benchmark::RegisterBenchmark(name.c_str(),
                                 [&body = body](benchmark::State& state) {
                                   for (auto _ : state) body();
                                 })
        ->Unit(benchmark::kNanosecond)
        ->MinTime(0.02);
  }
  for (int i = 0; i < repetitions; ++i) benchmark::RunSpecifiedBenchmarks(&collector, ".*");
  benchmark::ClearRegisteredBenchmarks();
  std::vector<double> medians;
  for (const auto& [name, body] : bodies) medians.push_back(median(collector.times[name]));
  return medians;
}

}  // namespace loci::bench
