#include "framework/eager/issued_work.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "framework/eager/site.h"

namespace loci::eager {

IssuedWork::IssuedWork(device::Device& device) : device_(device) { device.enter_work(*this); }

IssuedWork::~IssuedWork() { device_.leave_work(*this); }

void IssuedWork::note(std::uint64_t ticket, Work work) {
  Entry entry{ticket, std::move(work)};
  const std::lock_guard lock(lock_);
  if (entries_.empty()) [[unlikely]]
    entries_.resize(kRemembered);
  std::swap(entries_[ticket % kRemembered], entry);  // the former one ends without the lock
  noted_ = ticket;
}

void IssuedWork::forget_work() noexcept {
  std::vector<Entry> forgotten;  // ends without the lock
  const std::lock_guard lock(lock_);
  entries_.swap(forgotten);
}

void IssuedWork::confirm(std::uint64_t up_to) noexcept {
  if (checked_.load(std::memory_order_relaxed) < up_to) {
    checked_.store(up_to, std::memory_order_release);
  }
}

std::shared_ptr<tensor::Failure> IssuedWork::failure_at(std::uint64_t ticket) const {
  if (last_failed_.load(std::memory_order_acquire) < ticket) return nullptr;
  const std::lock_guard lock(lock_);
  for (const Failed& work : failed_) {
    if (work.first <= ticket && ticket <= work.last) return work.failure;
  }
  return nullptr;
}

std::shared_ptr<tensor::Failure> IssuedWork::take_failure() {
  const std::lock_guard lock(lock_);
  return std::exchange(untold_, nullptr);
}

// With the lock; 0 if there is none, or it was long ago.
std::uint64_t IssuedWork::ticket_of(std::uint64_t correlation) const {
  const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    // Unsigned: one before the first is far past the last.
    return correlation - entry.work.correlation < entry.work.correlations;
  });
  return found == entries_.end() ? 0 : found->ticket;
}

bool IssuedWork::has(std::uint64_t correlation) const {
  const std::lock_guard lock(lock_);
  return ticket_of(correlation) != 0;
}

// With the lock. The correlation is that of a part of it, or 0.
std::string IssuedWork::describe_at(std::uint64_t ticket, std::uint64_t correlation) const {
  if (entries_.empty()) return "one long ago";
  const Entry& entry = entries_[ticket % kRemembered];
  if (entry.ticket != ticket) return "one long ago";
  const Work& work = entry.work;
  const std::string site = describe_site(work.site);
  if (work.batch != nullptr) {
    const std::string what = correlation == 0
                                 ? "a replay of " + work.batch->name
                                 : work.batch->describe(correlation - work.correlation);
    return fmt::format("{}, enqueued at {}", what, site);
  }
  if (work.plan == nullptr) {
    return fmt::format("{} at {}, enqueued at {}",
                       work.correlation == 0 ? "a copy" : "[launch_host_function]",
                       device_.place().to_string(), site);
  }
  std::string arguments;
  for (const PlannedInput& input : work.plan->inputs) {
    if (input.value < 0) continue;
    arguments += fmt::format("{}{} {}", arguments.empty() ? "" : ", ", dtype_name(input.type.dtype),
                             input.type.shape.to_string());
  }
  return fmt::format("[{}] {} at {}, enqueued at {}", work.plan->schema->name(), arguments,
                     device_.place().to_string(), site);
}

std::string IssuedWork::describe(std::uint64_t correlation) const {
  const std::lock_guard lock(lock_);
  if (correlation != 0) return describe_at(ticket_of(correlation), correlation);
  const std::uint64_t first = checked_.load(std::memory_order_relaxed) + 1;
  if (first > noted_) return {};
  if (first == noted_) return describe_at(first);
  return fmt::format(
      "one of the {} ops since the last wait, from {} to {} (under SerialMode the "
      "error names the op)",
      noted_ - first + 1, describe_at(first), describe_at(noted_));
}

// Earlier work of this queue has ended: the device would have told of its failure first.
void IssuedWork::fail(const std::shared_ptr<tensor::Failure>& failure,
                      std::uint64_t correlation) noexcept {
  const std::lock_guard lock(lock_);
  const std::uint64_t from = correlation == 0 ? 0 : ticket_of(correlation);
  const std::uint64_t first = std::max(checked_.load(std::memory_order_relaxed) + 1, from);
  if (first > noted_) return;
  if (failed_.size() == kMostFailures) {
    // The oldest two become one, with what is between them: right is not told from wrong any more.
    failed_[1].first = failed_[0].first;
    failed_.pop_front();
  }
  failed_.push_back({first, noted_, failure});
  untold_ = failure;
  any_failed_.store(true, std::memory_order_relaxed);
  last_failed_.store(noted_, std::memory_order_release);
  checked_.store(noted_, std::memory_order_release);
}

}  // namespace loci::eager
