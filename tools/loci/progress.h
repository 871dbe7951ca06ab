// A counter of runs on the terminal.
#pragma once

#include <chrono>
#include <cstdint>

namespace loci::runner {

// Shows "run 12 of 1000" on standard error while it is a terminal, at most ten times a second, and
// wipes it at the end. Silent for work that is done within a tenth of a second.
class Progress {
 public:
  explicit Progress(std::int64_t total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void step();

 private:
  std::int64_t total_;
  std::int64_t done_ = 0;
  bool terminal_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point last_;
};

}  // namespace loci::runner
