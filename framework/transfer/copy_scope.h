// A copy as a profile shows it.
#pragma once

#include <cstdint>

#include "framework/profiler/scope.h"
#include "framework/transfer/transfer.h"

namespace loci::transfer {

// From its construction to finish(), or to its end if the copy fails.
class CopyScope {
 public:
  // Null devices are the host. Without a correlation it takes one.
  CopyScope(const device::Device* from, const device::Device* to, std::uint64_t bytes,
            const Labels& labels, std::uint64_t correlation = 0);

  // For the backend: joins what its device does to this copy.
  [[nodiscard]] std::uint64_t correlation() const { return correlation_; }
  // A fetch counts as asynchronous, although a backend may wait for pageable memory: what is
  // fetched is waited for once, when all of it has been copied.
  void finish(bool host_waited) {
    if (host_waited && !is_fetch_) scope_.add_flags(LOCI_SPAN_HOST_WAITED);
    scope_.end();
  }

 private:
  bool is_fetch_;
  std::uint64_t correlation_;
  profiler::Scope scope_;
};

}  // namespace loci::transfer
