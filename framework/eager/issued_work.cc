#include "framework/eager/issued_work.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "framework/eager/site.h"

namespace loci::eager {
namespace {

// Of all lanes.
struct Registry {
  std::mutex mutex;
  std::vector<IssuedWork*> works;
};

Registry& registry() {
  static auto* all = new Registry();  // lanes live until the process ends
  return *all;
}

}  // namespace

IssuedWork::IssuedWork(device::Device& device) : device_(device) {
  const std::lock_guard lock(registry().mutex);
  registry().works.push_back(this);
}

IssuedWork::~IssuedWork() {
  const std::lock_guard lock(registry().mutex);
  std::vector<IssuedWork*>& works = registry().works;
  works.erase(std::remove(works.begin(), works.end(), this), works.end());
}

void IssuedWork::note(std::uint64_t ticket, std::shared_ptr<const CallPlan> plan,
                      const void* site) {
  Entry entry{ticket, std::move(plan), site};
  const std::lock_guard lock(lock_);
  if (entries_.empty()) [[unlikely]]
    entries_.resize(kRemembered);
  std::swap(entries_[ticket % kRemembered], entry);  // the former one ends without the lock
  noted_ = ticket;
}

// The lock is held from the question to the blame: the device tells one thread alone, and another
// that asks meanwhile must not take the same work for right.
void IssuedWork::check(std::uint64_t ticket) {
  const std::lock_guard lock(registry().mutex);
  try {
    device_.synchronize_stream(nullptr);
  } catch (const Error& error) {
    throw blame_unlocked(error)->error;
  }
  if (checked_.load(std::memory_order_relaxed) < ticket) {
    checked_.store(ticket, std::memory_order_release);
  }
}

std::shared_ptr<tensor::Failure> IssuedWork::blame(const Error& error) {
  const std::lock_guard lock(registry().mutex);
  return blame_unlocked(error);
}

// With the registry's lock.
std::shared_ptr<tensor::Failure> IssuedWork::blame_unlocked(const Error& error) {
  std::vector<IssuedWork*> works{this};
  for (IssuedWork* work : registry().works) {
    if (work != this && &work->device_ == &device_) works.push_back(work);
  }
  std::string candidates;
  for (const IssuedWork* work : works) {
    const std::string text = work->describe_unchecked();
    if (text.empty()) continue;
    candidates += (candidates.empty() ? "; it is " : ", or on another stream ") + text;
  }
  const auto failure = std::make_shared<tensor::Failure>(
      Error(error.code(), error.what() + candidates, error.details()));
  for (IssuedWork* work : works) work->fail_unchecked(failure);
  return failure;
}

std::shared_ptr<tensor::Failure> IssuedWork::failure_at(std::uint64_t ticket) const {
  if (last_failed_.load(std::memory_order_acquire) < ticket) return nullptr;
  const std::lock_guard lock(lock_);
  for (const Failed& work : failed_) {
    if (work.first <= ticket && ticket <= work.last) return work.failure;
  }
  return nullptr;
}

// With the lock.
std::string IssuedWork::describe(std::uint64_t ticket) const {
  const Entry& entry = entries_[ticket % kRemembered];
  if (entry.ticket != ticket) return "one long ago";
  const std::string site = describe_site(entry.site);
  if (entry.plan == nullptr) {
    return fmt::format("a copy at {}, enqueued at {}", device_.place().to_string(), site);
  }
  std::string arguments;
  for (const PlannedInput& input : entry.plan->inputs) {
    if (input.value < 0) continue;
    arguments += fmt::format("{}{} {}", arguments.empty() ? "" : ", ", dtype_name(input.type.dtype),
                             input.type.shape.to_string());
  }
  return fmt::format("[{}] {} at {}, enqueued at {}", entry.plan->schema->name(), arguments,
                     device_.place().to_string(), site);
}

// Empty if there is none.
std::string IssuedWork::describe_unchecked() const {
  const std::lock_guard lock(lock_);
  const std::uint64_t first = checked_.load(std::memory_order_relaxed) + 1;
  if (first > noted_) return {};
  if (first == noted_) return describe(first);
  return fmt::format(
      "one of the {} ops since the last wait, from {} to {} (under SerialMode the "
      "error names the op)",
      noted_ - first + 1, describe(first), describe(noted_));
}

void IssuedWork::fail_unchecked(const std::shared_ptr<tensor::Failure>& failure) {
  const std::lock_guard lock(lock_);
  const std::uint64_t first = checked_.load(std::memory_order_relaxed) + 1;
  if (first > noted_) return;
  failed_.push_back({first, noted_, failure});
  any_failed_.store(true, std::memory_order_relaxed);
  last_failed_.store(noted_, std::memory_order_release);
  checked_.store(noted_, std::memory_order_release);
}

}  // namespace loci::eager
