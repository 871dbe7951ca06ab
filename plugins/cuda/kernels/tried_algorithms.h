// Which algorithms were the fastest when they were tried: each product is tried once in a process,
// so that all that compute the same have the same bits.
#pragma once

#include <cublasLt.h>

#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace loci::cuda {

// Thread-safe.
class TriedAlgorithms {
 public:
  using Algorithm = cublasLtMatmulHeuristicResult_t;

  // By what the product is, as bytes. `choose` is called for what is not known, by one thread at a
  // time; none where there are kMost already.
  template <class Choose>
  std::optional<Algorithm> find(const std::string& product, const Choose& choose) {
    const std::lock_guard lock(mutex_);
    const auto known = chosen_.find(product);
    if (known != chosen_.end()) return known->second;
    if (chosen_.size() == kMost) return std::nullopt;
    return chosen_.emplace(product, choose()).first->second;
  }

 private:
  static constexpr std::size_t kMost = 4096;  // 2 MiB

  std::mutex mutex_;
  std::map<std::string, Algorithm> chosen_;
};

}  // namespace loci::cuda
