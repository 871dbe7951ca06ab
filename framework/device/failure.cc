#include "framework/device/failure.h"

#include <new>

namespace loci::device {

const std::shared_ptr<Failure>& failure_without_memory() {
  // Never destroyed: work may fail until the process ends.
  static const auto& failure = *new std::shared_ptr<Failure>(std::make_shared<Failure>(
      Error(ErrorCode::kOutOfMemory,
            "[memory] no host memory was left to do the work, or to say what has failed; free some "
            "and try again")));
  return failure;
}

std::shared_ptr<Failure> failure_of(const Error& error) noexcept {
  try {
    return std::make_shared<Failure>(error);
  } catch (const std::bad_alloc&) {
    return failure_without_memory();
  }
}

}  // namespace loci::device
