// A counter of runs on the terminal.
#pragma once

#include <cstdint>

#include "tools/loci/status_line.h"

namespace loci::runner {

// Shows "run 12 of 1000" as a status line.
class Progress {
 public:
  explicit Progress(std::int64_t total) : total_(total) {}

  void step();

 private:
  std::int64_t total_;
  std::int64_t done_ = 0;
  StatusLine status_;
};

}  // namespace loci::runner
