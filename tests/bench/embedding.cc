// Measures a large embedding's training: the program of examples/embedding_cpu on 1,024 ids.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <loci/loci.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/bench/peer.h"
#include "tests/bench/report.h"

namespace loci::bench {
namespace {

constexpr std::int64_t kRows = 10'000'000;
constexpr std::int64_t kWidth = 150;
constexpr std::int64_t kIds = 1024;
constexpr int kRepetitions = 201;
constexpr int kFills = 3;
constexpr double kTableBytes = static_cast<double>(kRows) * kWidth * sizeof(float);
constexpr double kStepBudgetUs = 300;
constexpr double kRowsBudget = 1.5;
constexpr std::int64_t kRowsAhead = 16;  // of which the bare loop asks for before it needs them
constexpr double kMemoryBudget = 1.05;
constexpr double kBandwidthBudget = 0.5;

struct Model {
  Model() {
    const ProgramGuard building(main, startup);
    const Variable ids = data("ids", {kIds}, kInt64);
    const Variable label = data("label", {kIds, kWidth}, kFloat32);
    const Variable normalized = l2_normalize(layers::embedding(ids, {kRows, kWidth}));
    loss = mean(square_error_cost(normalized, label));
    optimizer::SGD(0.001).minimize(loss);
  }
  Program main;
  Program startup;
  Variable loss;
};

// All over the table, so that no row is in a cache.
std::vector<std::int64_t> scattered_ids(std::int64_t step) {
  std::vector<std::int64_t> ids(kIds);
  std::uint64_t state = 0x9E3779B97F4A7C15ULL * static_cast<std::uint64_t>(step + 1);
  for (std::int64_t& id : ids) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    id = static_cast<std::int64_t>((state >> 33) % kRows);
  }
  return ids;
}

Feed scattered_rows(std::int64_t step) {
  const std::vector<std::int64_t> ids = scattered_ids(step);
  return {{"ids", Tensor::from<std::int64_t>(ids, {kIds})},
          {"label", Tensor::from<float>(std::vector<float>(kIds * kWidth, 0.5F), {kIds, kWidth})}};
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

double peak_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("VmHWM:", 0) == 0) return std::strtod(line.c_str() + 6, nullptr) * 1024;
  }
  return 0;
}

// Bytes a second, with the threads that kernels have.
double write_bandwidth(char* memory, std::size_t bytes) {
  const auto threads = static_cast<std::size_t>(std::max(config::threads(), 1));
  const std::size_t part = bytes / threads;
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::thread> others;
  for (std::size_t i = 1; i < threads; ++i) {
    others.emplace_back([=] { std::memset(memory + i * part, 0, part); });
  }
  std::memset(memory, 0, part);
  for (std::thread& other : others) other.join();
  return static_cast<double>(part * threads) / seconds_since(start);
}

// Bytes a second, of the startup program and of memset.
struct Bandwidths {
  double fill = 0;
  double write = 0;
};

double fill_bandwidth(Executor& executor, const Model& model) {
  const auto start = std::chrono::steady_clock::now();
  executor.run(model.startup);
  return kTableBytes / seconds_since(start);
}

double new_memory_bandwidth() {
  const auto bytes = static_cast<std::size_t>(kTableBytes);
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::runtime_error("no memory for the table");
  ::madvise(memory, bytes, MADV_HUGEPAGE);  // as Loci's allocator asks for
  const double bandwidth = write_bandwidth(static_cast<char*>(memory), bytes);
  ::munmap(memory, bytes);
  return bandwidth;
}

// Into memory that no one has touched, as a program that starts does. The caller says which comes
// first: the second may get pages that the system has just taken back.
Bandwidths first_fill(bool write_first) {
  Bandwidths result;
  if (write_first) result.write = new_memory_bandwidth();
  {
    const Model model;
    Executor executor;
    result.fill = fill_bandwidth(executor, model);
  }
  if (!write_first) result.write = new_memory_bandwidth();
  return result;
}

// In a process of its own: an allocator keeps what it has once got. To be called before this one
// has threads.
Bandwidths first_fill_elsewhere(bool write_first) {
  int ends[2];
  if (::pipe(ends) != 0) throw std::runtime_error("no pipe");
  const ::pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("no process");
  if (child == 0) {
    const Bandwidths measured = first_fill(write_first);
    const bool told = ::write(ends[1], &measured, sizeof measured) == sizeof measured;
    ::_exit(told ? 0 : 1);
  }
  ::close(ends[1]);
  Bandwidths result;
  const bool told = ::read(ends[0], &result, sizeof result) == sizeof result;
  ::close(ends[0]);
  ::waitpid(child, nullptr, 0);
  if (!told) throw std::runtime_error("the process that fills new memory failed");
  return result;
}

void add_bandwidths(const std::string& name, const std::vector<Bandwidths>& measured,
                    std::optional<double> budget, Report* report) {
  std::vector<double> fills;
  std::vector<double> writes;
  for (const Bandwidths& each : measured) {
    fills.push_back(each.fill / 1e9);
    writes.push_back(each.write / 1e9);
  }
  const double fill = median(fills);
  const double write = median(writes);
  report->add({name, fill, "GB/s", false, "memset", write, {}});
  report->add({name + " over memset", fill / write, "ratio", false, "", {}, budget});
}

// In turns, into the memory of the table itself. No budget: a table is initialised once.
void measure_filling_again(Executor& executor, const Model& model, Report* report) {
  const Tensor table = executor.scope().find("embedding_0.weight");
  std::vector<Bandwidths> measured;
  for (int i = 0; i < kFills; ++i) {
    const double fill = fill_bandwidth(executor, model);
    measured.push_back(
        {fill, write_bandwidth(static_cast<char*>(table.raw_data()), table.bytes())});
  }
  executor.run(model.startup);
  add_bandwidths("initialisation again", measured, {}, report);
}

void ask_for(const float* row) {
  for (std::int64_t i = 0; i < kWidth; i += 16) __builtin_prefetch(row + i, 1);
  __builtin_prefetch(row + kWidth - 1, 1);
}

// The least that any step does to the table: each row is read and written once, by a loop that does
// nothing else.
void touch_rows(float* table, const std::vector<std::int64_t>& ids) {
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (i + kRowsAhead < ids.size()) ask_for(table + ids[i + kRowsAhead] * kWidth);
    float* row = table + ids[i] * kWidth;
    for (std::int64_t j = 0; j < kWidth; ++j) row[j] *= 0.999F;
  }
}

struct StepTimes {
  double step = 0;
  double rows = 0;
};

// Microseconds of a step, and of the machine for as many rows of its table, in turns.
StepTimes step_us(Executor& executor, const Model& model) {
  const std::vector<Fetch> fetch{model.loss};
  Tensor table = executor.scope().find("embedding_0.weight");
  std::vector<double> steps;
  std::vector<double> rows;
  for (int i = 0; i < kRepetitions; ++i) {
    const Feed feed = scattered_rows(std::int64_t{2} * i);
    auto start = std::chrono::steady_clock::now();
    executor.run(model.main, feed, fetch);
    steps.push_back(seconds_since(start) * 1e6);
    const std::vector<std::int64_t> ids = scattered_ids(std::int64_t{2} * i + 1);
    start = std::chrono::steady_clock::now();
    touch_rows(static_cast<float*>(table.raw_data()), ids);
    rows.push_back(seconds_since(start) * 1e6);
  }
  return {median(steps), median(rows)};
}

void measure(Report* report) {
  std::vector<Bandwidths> first;
  for (int i = 0; i < 2 * kFills; ++i) first.push_back(first_fill_elsewhere(i % 2 == 0));
  add_bandwidths("initialisation of new memory", first, kBandwidthBudget, report);
  const Model model;
  Executor executor;
  executor.run(model.startup);
  measure_filling_again(executor, model, report);
  config::set_threads(1);
  const StepTimes step = step_us(executor, model);
  const double memory = peak_bytes() / kTableBytes;
  std::string why;
  const auto peer = run_peer("torch_embedding.py",
                             std::to_string(kRows / 10) + " " + std::to_string(kWidth) + " " +
                                 std::to_string(kIds) + " " + std::to_string(kRepetitions),
                             &why);
  if (!peer) report->note("PyTorch: " + why);
  report->add({"step of 1,024 rows, one thread", step.step, "us", true,
               "PyTorch, a table a tenth of the size",
               peer ? std::optional<double>(peer->at("step_us")) : std::nullopt, kStepBudgetUs});
  report->add({"reading and writing those rows by a bare loop", step.rows, "us", true, "", {}, {}});
  report->add({"step over that", step.step / step.rows, "ratio", true, "", {}, kRowsBudget});
  report->add({"peak memory over the table", memory, "ratio", true, "", {}, kMemoryBudget});
}

}  // namespace
}  // namespace loci::bench

int main(int argc, char** argv) {
  try {
    loci::bench::Report report("embedding", argc, argv);
    loci::bench::measure(&report);
    report.print();
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_embedding: %s\n", error.what());
    return 1;
  }
}
