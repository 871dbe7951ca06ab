#include "framework/device/failure.h"

namespace loci::device {

const std::shared_ptr<Failure>& failure_without_memory() {
  // Never destroyed: work may fail until the process ends.
  static const auto& failure = *new std::shared_ptr<Failure>(std::make_shared<Failure>(
      Error(ErrorCode::kOutOfMemory,
            "[memory] no host memory was left to do the work, or to say what has failed; free some "
            "and try again")));
  return failure;
}

}  // namespace loci::device
