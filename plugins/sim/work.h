// The work that a stream runs.
#pragma once

#include <loci/abi/profile.h>

#include <chrono>
#include <cstdint>
#include <loci/plugin/error.hpp>
#include <memory>
#include <string>
#include <vector>

#include "plugins/sim/race_checker.h"

namespace loci::sim {

class GraphWork;

// The facts that a profile has of a task.
struct WorkFacts {
  std::uint32_t kind = LOCI_DEVICE_WORK_KERNEL;
  std::uint32_t direction = LOCI_COPY_UNKNOWN;
  std::uint64_t bytes = 0;
  std::uint64_t correlation = 0;
  std::uint32_t graph = 0;  // of a graph's launch its number, and which launch of it
  std::uint64_t replay = 0;
};

class Work {
 public:
  Work() = default;
  virtual ~Work() = default;
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;

  // On the stream's thread. What it throws is kept as the device's error.
  virtual void run() = 0;
  // For errors: "matmul", "copy of 12 bytes to the host".
  [[nodiscard]] virtual std::string name() const = 0;
  // Events and frees: neither delayed nor made to fail, and done on a lost device too, so that
  // nobody waits for ever.
  [[nodiscard]] virtual bool is_control() const { return false; }
  // Returns the facts of work that is no control.
  [[nodiscard]] virtual WorkFacts facts() const { return {}; }
  // Returns the time that it takes on the described machine.
  [[nodiscard]] virtual std::chrono::nanoseconds duration() const { return {}; }
  // How much of that is the launch of a kernel by itself, which it has not within a graph.
  [[nodiscard]] virtual std::chrono::nanoseconds launch_latency() const { return {}; }

  // A graph's launch is run task by task.
  [[nodiscard]] virtual const GraphWork* as_graph() const { return nullptr; }
  // Makes a copy of work in a graph with another address for that argument, and tells its accesses.
  // Throws Error(LOCI_CODE_UNSUPPORTED) if it is no kernel.
  [[nodiscard]] virtual std::shared_ptr<Work> with_address(
      std::uint32_t /*argument*/, void* /*address*/, std::vector<Access>* /*accesses*/) const {
    throw sdk::Error(
        LOCI_CODE_UNSUPPORTED,
        "[sim] " + name() + " has no arguments that could be exchanged; record it anew");
  }
  // Bytes of host memory that it keeps, about.
  [[nodiscard]] virtual std::uint64_t kept_bytes() const { return 0; }
};

}  // namespace loci::sim
