// Whose work it may have been that a device was lost by.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "recent_launches.h"

namespace loci::cuda {

// The streams of a device, by what they were given lately. Thread-safe.
class Suspects {
 public:
  // A new stream's, which counts as long as somebody has it.
  [[nodiscard]] std::shared_ptr<RecentLaunches> add();

  struct Verdict {
    std::string text;               // "; it was softmax", or empty where nothing is known
    std::uint64_t correlation = 0;  // of the only one that it can be; else 0
  };
  [[nodiscard]] Verdict judge() const;

 private:
  mutable std::mutex mutex_;
  std::vector<std::weak_ptr<RecentLaunches>> streams_;
};

}  // namespace loci::cuda
