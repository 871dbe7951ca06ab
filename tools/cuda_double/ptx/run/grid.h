// A launch under way: what all its blocks share.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <vector>

#include "tools/cuda_double/memory/device_memory.h"
#include "tools/cuda_double/ptx/code.h"
#include "tools/cuda_double/ptx/launch.h"
#include "tools/cuda_double/ptx/run/global_races.h"

namespace loci::cuda_double {

// Where generic addresses of each space begin; those of global memory are addresses of the host.
inline constexpr std::uint64_t kSharedWindow = std::uint64_t{1} << 48;
inline constexpr std::uint64_t kLocalWindow = std::uint64_t{2} << 48;
inline constexpr std::uint64_t kParamWindow = std::uint64_t{3} << 48;
inline constexpr std::uint32_t kWindowShift = 48;

struct Grid {
  const ModuleCode* module = nullptr;
  const FunctionCode* kernel = nullptr;
  const LaunchConfig* config = nullptr;
  DeviceMemory* memory = nullptr;
  std::vector<std::byte> parameters;
  std::uint32_t static_shared_bytes = 0;  // where dynamic shared memory begins
  std::uint32_t shared_bytes = 0;
  std::uint32_t block_threads = 0;
  bool inspects_global = false;  // whether accesses to global memory are looked at
  std::unique_ptr<GlobalRaces> global_races;
  std::uint64_t workspace = 0;  // of a grid-wide barrier, in device memory

  std::atomic<std::uint64_t> executed{0};  // warp-instructions, of what workers told so far
  std::atomic<bool> stopped{false};
  std::mutex fault_mutex;
  std::exception_ptr fault;
};

}  // namespace loci::cuda_double
