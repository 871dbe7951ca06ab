// What a stream runs.
#pragma once

#include <loci/abi/profile.h>

#include <chrono>
#include <cstdint>
#include <string>

namespace loci::sim {

// What a profile says of a task.
struct WorkFacts {
  std::uint32_t kind = LOCI_DEVICE_WORK_KERNEL;
  std::uint32_t direction = LOCI_COPY_UNKNOWN;
  std::uint64_t bytes = 0;
  std::uint64_t correlation = 0;
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
  // Of work that is no control.
  [[nodiscard]] virtual WorkFacts facts() const { return {}; }
  // What it takes on the described machine.
  [[nodiscard]] virtual std::chrono::nanoseconds duration() const { return {}; }
};

}  // namespace loci::sim
