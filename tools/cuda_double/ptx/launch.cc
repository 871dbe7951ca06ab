#include "tools/cuda_double/ptx/launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <thread>

#include "tools/cuda_double/ptx/run/worker.h"

namespace loci::cuda_double {
namespace {

constexpr std::uint32_t kMostThreads = 1024;
constexpr std::uint32_t kMostBlockZ = 64;
constexpr std::uint32_t kMostGridX = 0x7fffffff;
constexpr std::uint32_t kMostGridYz = 65535;
// A barrier of all blocks uses so much global memory: its size and its counter.
constexpr std::uint32_t kWorkspaceBytes = 8;

[[noreturn]] void refuse(const Function& function, const std::string& text) {
  FaultReport report;
  report.kind = FaultKind::kLaunch;
  report.kernel = function.name();
  report.text = text;
  throw KernelFault(std::move(report));
}

std::string shown(const Dim3& extents) {
  return fmt::format("({},{},{})", extents.x, extents.y, extents.z);
}

void check_block(const Function& function, const Dim3& block) {
  const FunctionAttributes& attributes = function.attributes();
  if (block.x == 0 || block.y == 0 || block.z == 0 || block.z > kMostBlockZ ||
      block.count() > kMostThreads) {
    refuse(function, fmt::format("a block of {} threads cannot be: at most {} in all, and {} deep",
                                 shown(block), kMostThreads, kMostBlockZ));
  }
  if (block.count() > attributes.max_threads) {
    refuse(function, fmt::format("a block of {} threads is larger than the {} that the kernel was "
                                 "compiled for",
                                 shown(block), attributes.max_threads));
  }
  const auto& required = attributes.required_block;
  if (required && (required->x != block.x || required->y != block.y || required->z != block.z)) {
    refuse(function, fmt::format("blocks of {} threads, and the kernel requires {}", shown(block),
                                 shown(*required)));
  }
}

void check_grid(const Function& function, const Dim3& grid) {
  if (grid.x == 0 || grid.y == 0 || grid.z == 0 || grid.x > kMostGridX || grid.y > kMostGridYz ||
      grid.z > kMostGridYz) {
    refuse(function, fmt::format("a grid of {} blocks cannot be: at most ({},{},{})", shown(grid),
                                 kMostGridX, kMostGridYz, kMostGridYz));
  }
}

void check_sizes(const Function& function, const LaunchConfig& config) {
  const FunctionAttributes& attributes = function.attributes();
  if (config.parameters.size() != attributes.parameter_bytes) {
    refuse(function, fmt::format("{} bytes of parameters, and the kernel takes {}",
                                 config.parameters.size(), attributes.parameter_bytes));
  }
  const std::uint64_t shared =
      std::uint64_t{attributes.static_shared_bytes} + config.dynamic_shared_bytes;
  if (shared > config.shared_limit) {
    refuse(function,
           fmt::format("{} bytes of shared memory ({} static and {} dynamic), and a block "
                       "has {}",
                       shared, attributes.static_shared_bytes, config.dynamic_shared_bytes,
                       config.shared_limit));
  }
  if (function.code().is_cluster)
    refuse(function, "the kernel needs clusters, which are not there");
}

// Dynamic shared memory begins aligned for every type.
std::uint32_t aligned(std::uint32_t bytes) { return (bytes + 15) / 16 * 16; }

// The memory of a barrier of all blocks, freed in the end.
class Workspace {
 public:
  Workspace(DeviceMemory& memory, const LaunchConfig& config) : memory_(memory) {
    if (!config.cooperative) return;
    address_ = memory.allocate(kWorkspaceBytes, MemoryKind::kDevice, config.device,
                               "the launch, for grid-wide barriers");
    const std::uint32_t words[2] = {kWorkspaceBytes, 0};
    std::memcpy(reinterpret_cast<void*>(address_), words, kWorkspaceBytes);
    memory.mark_written(address_, kWorkspaceBytes);
  }
  ~Workspace() {
    if (address_ != 0) memory_.free(address_, "the launch's end");
  }
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;
  [[nodiscard]] std::uint64_t address() const { return address_; }

 private:
  DeviceMemory& memory_;
  std::uint64_t address_ = 0;
};

void prepare(Grid& grid, const Function& function, const LaunchConfig& config,
             DeviceMemory& memory) {
  grid.module = &function.module_code();
  grid.kernel = &function.code();
  grid.config = &config;
  grid.memory = &memory;
  grid.parameters.assign(config.parameters.begin(), config.parameters.end());
  const std::uint32_t static_bytes = function.attributes().static_shared_bytes;
  grid.static_shared_bytes = config.dynamic_shared_bytes > 0 ? aligned(static_bytes) : static_bytes;
  grid.shared_bytes = grid.static_shared_bytes + config.dynamic_shared_bytes;
  grid.block_threads = static_cast<std::uint32_t>(config.block.count());
  grid.inspects_global = config.checks.global_races || config.observer != nullptr || config.count;
  if (config.checks.global_races && config.grid.count() > 1) {
    grid.global_races = std::make_unique<GlobalRaces>(memory);
  }
}

void add(Counters& counters, const WorkerCounts& counts, const ModuleCode& module) {
  counters.warp_instructions += counts.warp_instructions;
  for (std::size_t i = 0; i < counts.lanes_by_opcode.size(); ++i) {
    if (counts.lanes_by_opcode[i] == 0) continue;
    counters.lane_instructions += counts.lanes_by_opcode[i];
    counters.lanes_by_opcode[module.opcode_names[i]] += counts.lanes_by_opcode[i];
  }
  counters.global_bytes_read += counts.global_bytes_read;
  counters.global_bytes_written += counts.global_bytes_written;
  counters.global_requests += counts.global_requests;
  counters.global_sectors += counts.global_sectors;
  counters.shared_requests += counts.shared_requests;
  counters.shared_conflicts += counts.shared_conflicts;
}

void run_workers(std::vector<std::unique_ptr<Worker>>& workers) {
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < workers.size(); ++i) {
    threads.emplace_back([&worker = *workers[i]] { worker.run(); });
  }
  workers.front()->run();
  for (std::thread& thread : threads) thread.join();
}

}  // namespace

Counters launch(const Function& function, const LaunchConfig& config, DeviceMemory& memory) {
  check_grid(function, config.grid);
  check_block(function, config.block);
  check_sizes(function, config);
  const Workspace workspace(memory, config);
  Grid grid;
  prepare(grid, function, config, memory);
  grid.workspace = workspace.address();
  BlockOrder order(config.grid.count(), config.seed);
  const std::uint64_t count = std::clamp<std::uint64_t>(config.workers, 1, config.grid.count());
  std::vector<std::unique_ptr<Worker>> workers;
  for (std::uint64_t i = 0; i < count; ++i) {
    workers.push_back(std::make_unique<Worker>(grid, order));
  }
  run_workers(workers);
  if (config.observer != nullptr) {
    for (std::size_t i = 1; i < workers.size(); ++i) {
      workers.front()->accesses().merge(workers[i]->accesses());
    }
    workers.front()->accesses().report(*config.observer, memory);
  }
  if (grid.fault != nullptr) std::rethrow_exception(grid.fault);
  Counters counters;
  for (const auto& worker : workers) add(counters, worker->counts(), *grid.module);
  if (!config.count) counters.warp_instructions = grid.executed.load();
  return counters;
}

}  // namespace loci::cuda_double
