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

nlohmann::json json_of(const Limits& limits) {
  nlohmann::json levels = nlohmann::json::array();
  for (const MemoryLevel& level : limits.levels) {
    levels.push_back({{"bytes", level.bytes}, {"read", level.read}, {"copy", level.copy}});
  }
  return {{"threads", limits.threads}, {"flops", limits.flops}, {"levels", levels}};
}

nlohmann::json json_of(const OperatorTime& op, const Limits& limits) {
  const Bound bound = bound_of(op, limits);
  return {{"name", op.name},      {"instance", op.instance},
          {"kernel", op.kernel},  {"detail", op.detail},
          {"runs", op.runs},      {"us", op.us},
          {"flops", op.flops},    {"bytes", op.bytes},
          {"bound_us", bound.us}, {"bound_by", bound.by_memory ? "memory" : "arithmetic"}};
}

// The time of a row whose operators all reach their own roofs, in microseconds.
double bound_us(const Row& row, const Limits& limits) {
  double sum = 0;
  for (const OperatorTime& op : row.operators) sum += op.runs * bound_of(op, limits).us;
  return sum;
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

Report::Report(std::string bench, int argc, char** argv, Roofline roofline)
    : bench_(std::move(bench)) {
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    if (option == "--json") {
      json_ = true;
    } else if (option == "--only" && i + 1 < argc) {
      only_ = argv[++i];
    } else if (option == "--roofline" && roofline == Roofline::kOffered) {
      wants_roofline_ = true;
    } else {
      throw std::invalid_argument(
          fmt::format("{}: no option {}; there are --json{} and --only TEXT", bench_, option,
                      roofline == Roofline::kOffered ? ", --roofline" : ""));
    }
  }
}

const Limits* Report::limits_of(const Row& row) const {
  if (row.operators.empty()) return nullptr;
  const auto found = std::find_if(limits_.begin(), limits_.end(), [&](const Limits& limits) {
    return limits.threads == row.threads;
  });
  return found == limits_.end() ? nullptr : &*found;
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
    if (!row.peers.empty()) rows.back()["peers"] = row.peers;
    if (row.threads != 0) rows.back()["threads"] = row.threads;
    const Limits* const limits = limits_of(row);
    if (limits == nullptr) continue;
    rows.back()["bound_us"] = bound_us(row, *limits);
    for (const OperatorTime& op : row.operators) {
      rows.back()["operators"].push_back(json_of(op, *limits));
    }
  }
  nlohmann::json object{{"bench", bench_}, {"machine", machine()}, {"rows", rows}};
  if (!notes_.empty()) object["notes"] = notes_;
  for (const Limits& limits : limits_) object["limits"].push_back(json_of(limits));
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
    if (const Limits* const limits = limits_of(row)) {
      fmt::print("  roofs of its ops: {:.2f}", bound_us(row, *limits));
    }
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
