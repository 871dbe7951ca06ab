// Which of a library's algorithms were the fastest when they were tried: each problem is tried once
// in a process, so that all that compute the same have the same bits.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace loci::cuda {

// Thread-safe.
template <class Algorithm>
class TriedAlgorithms {
 public:
  // Finds the algorithm of a problem, which is told by its bytes. `choose` is called for one that
  // is not known, by one thread at a time; none where there are kMost already.
  template <class Choose>
  std::optional<Algorithm> find(const std::string& problem, const Choose& choose) {
    const std::lock_guard lock(mutex_);
    const auto known = chosen_.find(problem);
    if (known != chosen_.end()) return known->second;
    if (chosen_.size() == kMost) return std::nullopt;
    return chosen_.emplace(problem, choose()).first->second;
  }

 private:
  static constexpr std::size_t kMost = 4096;  // 2 MiB at most

  std::mutex mutex_;
  std::map<std::string, Algorithm> chosen_;
};

}  // namespace loci::cuda
