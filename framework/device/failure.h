// An error that a device reports after the call that caused it has returned.
#pragma once

#include <atomic>
#include <loci/error.hpp>
#include <utility>

namespace loci::device {

// Why what lies in some memory is not what was asked for.
struct Failure {
  Error error;
  std::atomic<bool> was_thrown{false};

  explicit Failure(Error cause) : error(std::move(cause)) {}
};

}  // namespace loci::device
