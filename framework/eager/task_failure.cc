#include "framework/eager/task_failure.h"

#include <fmt/format.h>

#include <mutex>
#include <new>
#include <utility>

namespace loci::eager {
namespace {

std::shared_ptr<tensor::Failure> describe_failure(const Task& task) {
  try {
    throw;
  } catch (const Error& error) {
    return std::make_shared<tensor::Failure>(
        Error(error.code(), fmt::format("{}: {}", describe(task), error.what()), error.details()));
  } catch (const std::bad_alloc&) {
    return std::make_shared<tensor::Failure>(
        Error(ErrorCode::kOutOfMemory,
              fmt::format("{}: no host memory was left; free some and try again", describe(task))));
  } catch (const std::exception& error) {
    return std::make_shared<tensor::Failure>(
        Error(ErrorCode::kInternal, fmt::format("{}: {}", describe(task), error.what())));
  }
}

}  // namespace

std::shared_ptr<tensor::Failure> failure_of(const Task& task) noexcept {
  try {
    return describe_failure(task);
  } catch (const std::bad_alloc&) {
    return device::failure_without_memory();
  }
}

void UntoldFailure::note(const std::shared_ptr<tensor::Failure>& failure) noexcept {
  const std::lock_guard lock(lock_);
  if (failure_ == nullptr || failure_->was_thrown.load(std::memory_order_relaxed)) {
    failure_ = failure;
  }
}

void UntoldFailure::tell() {
  std::shared_ptr<tensor::Failure> failure;
  {
    const std::lock_guard lock(lock_);
    failure = std::exchange(failure_, nullptr);
  }
  if (failure != nullptr && !failure->was_thrown.exchange(true)) throw failure->error;
}

}  // namespace loci::eager
