// Another number of threads for the kernels of the process, while it lives.
#pragma once

#include <cstdint>

#include "framework/core/thread_team.h"

namespace loci::test {

class ProcessWidth {
 public:
  explicit ProcessWidth(std::uint32_t threads) : before_(core::process_width()) {
    core::set_process_width(threads);
  }
  ~ProcessWidth() { core::set_process_width(before_); }
  ProcessWidth(const ProcessWidth&) = delete;
  ProcessWidth& operator=(const ProcessWidth&) = delete;

 private:
  std::uint32_t before_;
};

}  // namespace loci::test
