// Runs a kernel on threads of the host.
//
// A warp is 32 lanes that execute together and part at a branch; they join again where all paths
// meet. A lane that waits at a warp-level function does not keep the others from running. Blocks
// run on `workers` threads; which block, warp and side of a branch comes first is drawn from the
// seed. One that spins is set aside for others, so that waiting for another warp or block ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/cuda_double/memory/device_memory.h"
#include "tools/cuda_double/ptx/access_observer.h"
#include "tools/cuda_double/ptx/dim3.h"
#include "tools/cuda_double/ptx/kernel_fault.h"
#include "tools/cuda_double/ptx/module.h"

namespace loci::cuda_double {

// Without any, a kernel that is right gives the same results, faster; one that is wrong may end the
// process.
struct Checks {
  bool addresses = true;         // bounds, lifetime, device, alignment, writes to constants
  bool undefined_values = true;  // memory never written, registers never set
  bool shared_races = true;
  bool global_races = true;
  [[nodiscard]] static Checks none() { return {false, false, false, false}; }
};

// A device function that the launcher provides, such as one that sets a condition of a graph.
struct ExternalCall {
  std::span<const std::span<const std::byte>> arguments;  // as the declaration lays them out
  std::span<std::byte> result;                            // zeroed
  Dim3 block;
  Dim3 thread;
};
// Called once a thread, perhaps from several workers at once.
using ExternalFunctions = std::map<std::string, std::function<void(const ExternalCall&)>>;

struct LaunchConfig {
  Dim3 grid;
  Dim3 block;
  std::uint32_t dynamic_shared_bytes = 0;
  std::uint32_t shared_limit = 227 * 1024;  // bytes a block, static and dynamic
  std::span<const std::byte> parameters;    // laid out as Function::parameters() says
  std::uint64_t seed = 0;                   // 0: everything in order
  std::uint64_t instruction_limit = std::uint64_t{1} << 36;  // warp-instructions of the launch
  Checks checks;
  unsigned workers = 1;
  bool cooperative = false;  // all blocks are under way at once
  int device = 0;
  std::uint64_t peers = 0;                      // bit n: memory of device n may be reached too
  std::uint32_t compute_units = 132;            // what %nsmid says
  std::function<void(std::string_view)> print;  // gets what printf prints; NULL: stdout
  AccessObserver* observer = nullptr;
  const ExternalFunctions* externals = nullptr;
  bool count = true;
};

struct Counters {
  std::uint64_t warp_instructions = 0;
  std::uint64_t lane_instructions = 0;
  std::map<std::string, std::uint64_t> lanes_by_opcode;  // with types: "add.f32"
  std::uint64_t global_bytes_read = 0;                   // as the lanes ask for them
  std::uint64_t global_bytes_written = 0;
  std::uint64_t global_requests = 0;  // a warp's access each
  std::uint64_t global_sectors = 0;   // of 32 bytes, that the requests touch
  std::uint64_t shared_requests = 0;
  std::uint64_t shared_conflicts = 0;  // passes beyond the first, of 32 banks of 4 bytes
};

// Returns when all blocks are done. Throws KernelFault for the first fault that was seen; other
// blocks are given up then. What the kernel has written before stays. Any thread may launch,
// several at once.
Counters launch(const Function& function, const LaunchConfig& config, DeviceMemory& memory);

}  // namespace loci::cuda_double
