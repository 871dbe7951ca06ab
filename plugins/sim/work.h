// What a stream runs.
#pragma once

#include <chrono>
#include <string>

namespace loci::sim {

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
  // What it takes on the described machine.
  [[nodiscard]] virtual std::chrono::nanoseconds duration() const { return {}; }
};

}  // namespace loci::sim
