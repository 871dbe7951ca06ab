// An error that a device reports after the call that caused it has returned.
#pragma once

#include <atomic>
#include <loci/error.hpp>
#include <memory>
#include <utility>

namespace loci::device {

// Why what lies in some memory is not what was asked for.
struct Failure {
  Error error;
  std::atomic<bool> was_thrown{false};

  explicit Failure(Error cause) : error(std::move(cause)) {}
};

// For where no memory is left to say what has failed. Made with the first device.
const std::shared_ptr<Failure>& failure_without_memory();

// One of the error, or that one where no memory is left.
std::shared_ptr<Failure> failure_of(const Error& error) noexcept;

}  // namespace loci::device
