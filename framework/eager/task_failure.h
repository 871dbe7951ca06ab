// The failures of tasks.
#pragma once

#include <memory>

#include "framework/eager/task.h"
#include "framework/memory/spin_lock.h"

namespace loci::eager {

// Wraps the exception that is being caught, with the task's op, arguments, place and site.
[[nodiscard]] std::shared_ptr<tensor::Failure> failure_of(const Task& task) noexcept;

// The first failure that nobody has been told of. Thread-safe.
class UntoldFailure {
 public:
  void note(const std::shared_ptr<tensor::Failure>& failure) noexcept;
  // Throws it once, if there is one.
  void tell();

 private:
  memory::SpinLock lock_;
  std::shared_ptr<tensor::Failure> failure_;
};

}  // namespace loci::eager
