#include "framework/executor/plan_cache.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "framework/core/environment.h"
#include "framework/core/key_bytes.h"
#include "framework/core/thread_team.h"
#include "framework/program/program_impl.h"

namespace loci::executor {
namespace {

using execution::Plan;
using execution::PlanFeed;
using execution::PlanMemory;

constexpr std::uint64_t kUsualBytes = std::uint64_t{32} << 20;
constexpr std::uint64_t kPlansAtLeast = 4;
constexpr std::size_t kCompared = 4;

bool same_feed(const PlanFeed& planned, const std::pair<std::string, Tensor>& given) {
  return given.second.defined() && planned.dtype == given.second.dtype() &&
         planned.shape == given.second.shape() && planned.name == given.first &&
         planned.place == given.second.place();
}

// Without places, all are on the host.
bool same_places(const std::vector<Place>& planned, const std::vector<Fetch>& fetch) {
  if (planned.empty()) {
    return std::all_of(fetch.begin(), fetch.end(),
                       [](const Fetch& wanted) { return wanted.place() == nullptr; });
  }
  return std::equal(planned.begin(), planned.end(), fetch.begin(), fetch.end(),
                    [](const Place& place, const Fetch& wanted) {
                      return wanted.place() == nullptr ? place.is_host() : place == *wanted.place();
                    });
}

bool serves(const Plan& plan, const Feed& feed, const std::vector<Fetch>& fetch) {
  return std::equal(plan.feeds.begin(), plan.feeds.end(), feed.begin(), feed.end(), same_feed) &&
         same_places(plan.fetch_places, fetch) &&
         std::equal(plan.fetch_names.begin(), plan.fetch_names.end(), fetch.begin(), fetch.end(),
                    [](const std::string& planned, const Fetch& wanted) {
                      return planned == wanted.name();
                    });
}

void append_place(const Place& place, std::string* key) {
  core::append_text(place.type(), key);
  core::append_bytes(place.index(), key);
}

void append_feed(const std::string& name, const Tensor& tensor, std::string* key) {
  core::append_text(name, key);
  core::append_bytes(tensor.dtype(), key);
  core::append_bytes(tensor.shape().rank(), key);
  for (const std::int64_t extent : tensor.shape()) core::append_bytes(extent, key);
  append_place(tensor.place(), key);
}

void append_fetch(const Fetch& wanted, std::string* key) {
  core::append_text(wanted.name(), key);
  core::append_bytes(wanted.place() != nullptr, key);
  if (wanted.place() != nullptr) append_place(*wanted.place(), key);
}

// Bytes. The number of what is fed keeps it apart from fetches.
std::string key_of(std::uint64_t program, const Feed& feed, const std::vector<Fetch>& fetch) {
  constexpr std::size_t kUsualBytes = 256;
  std::string key;
  key.reserve(kUsualBytes);
  core::append_bytes(program, &key);
  core::append_bytes(std::count_if(feed.begin(), feed.end(),
                                   [](const auto& each) { return each.second.defined(); }),
                     &key);
  for (const auto& [name, tensor] : feed) {
    if (tensor.defined()) append_feed(name, tensor, &key);
  }
  for (const Fetch& wanted : fetch) append_fetch(wanted, &key);
  return key;
}

}  // namespace

std::optional<std::uint64_t> most_plan_bytes() { return core::configured_number("PLAN_CACHE"); }

PlanCache::PlanCache(std::optional<std::uint64_t> most_bytes)
    : memory_(std::make_shared<PlanMemory>(most_bytes.value_or(kUsualBytes))),
      is_fixed_(most_bytes.has_value()) {}

std::shared_ptr<const Plan> PlanCache::find(const Program& program, const Feed& feed,
                                            const std::vector<Fetch>& fetch) {
  const std::uint64_t uid = program.impl()->uid();
  const std::uint64_t version = program.impl()->version();
  const auto fits = [&](const Kept& kept) {
    return kept.program == uid && kept.version == version && kept.width == core::process_width() &&
           serves(*kept.plan, feed, fetch);
  };
  const std::lock_guard lock(mutex_);
  // A plan that ran lately is nearly always the next one; comparing those first costs no key.
  std::size_t compared = 0;
  for (auto entry = plans_.begin(); entry != plans_.end() && compared < kCompared; ++compared) {
    if (fits(entry->value)) return plans_.use(entry).plan;
    ++entry;
  }
  const Kept* found = plans_.find(key_of(uid, feed, fetch));
  return found != nullptr && fits(*found) ? found->plan : nullptr;
}

void PlanCache::insert(const Program& program, std::uint64_t version, const Feed& feed,
                       const std::vector<Fetch>& fetch, const std::shared_ptr<const Plan>& plan) {
  const std::uint64_t uid = program.impl()->uid();
  put(key_of(uid, feed, fetch), {uid, version, core::process_width(), plan});
  if (!is_fixed_) memory_->for_latest = kPlansAtLeast * (plan->bytes() + frame_bytes(*plan));
  shrink();
}

void PlanCache::put(std::string key, Kept kept) {
  Plans::Entries dropped;  // destroyed once the lock is given back
  const std::lock_guard lock(mutex_);
  const std::uint64_t uid = kept.program;
  const std::uint64_t version = kept.version;
  // Where the latest one is of this version, whoever brought it has dropped those of others.
  const bool is_known_version = !plans_.empty() && plans_.begin()->value.program == uid &&
                                plans_.begin()->value.version == version;
  if (Kept* known = plans_.find(key)) {
    dropped.push_back({{}, std::move(kept)});
    std::swap(dropped.back().value, *known);
  } else {
    plans_.insert(std::move(key), std::move(kept));
  }
  if (is_known_version) return;
  remove_if([&](const Kept& old) { return old.program == uid && old.version != version; },
            &dropped);
}

void PlanCache::erase(const std::shared_ptr<const Plan>& plan) {
  Plans::Entries dropped;
  const std::lock_guard lock(mutex_);
  remove_if([&](const Kept& kept) { return kept.plan == plan; }, &dropped);
}

void PlanCache::drop_older_half() {
  Plans::Entries dropped;
  const std::lock_guard lock(mutex_);
  const auto kept = static_cast<std::ptrdiff_t>((plans_.size() + 1) / 2);
  for (auto old = std::next(plans_.begin(), kept); old != plans_.end();) {
    old = plans_.remove(old, &dropped);
  }
}

void PlanCache::trim() {
  if (!memory_->has_grown.load(std::memory_order_relaxed)) return;
  memory_->has_grown = false;
  shrink();
}

// To free memory may call a plugin, which no lock is held for.
void PlanCache::shrink() {
  if (memory_->shared.load() > memory_->most_bytes) shrink_arenas();
  if (!memory_->is_over()) return;
  // Well below it, so that not each new plan pays for this.
  const std::uint64_t wanted = memory_->limit() / 8 * 7;
  for (const std::shared_ptr<const Plan>& plan : older_plans()) {
    if (memory_->kept() <= wanted) return;
    plan->drop_idle_frames();
  }
  drop_oldest(wanted);
}

void PlanCache::shrink_arenas() {
  std::shared_ptr<const Plan> latest;
  {
    const std::lock_guard lock(mutex_);
    if (!plans_.empty()) latest = plans_.begin()->value.plan;
  }
  memory_->arenas.drop_above(latest == nullptr ? 0 : 2 * arena_bytes(*latest));
}

std::vector<std::shared_ptr<const Plan>> PlanCache::older_plans() {
  std::vector<std::shared_ptr<const Plan>> plans;
  const std::lock_guard lock(mutex_);
  if (plans_.empty()) return plans;
  for (auto entry = plans_.end(); std::prev(entry) != plans_.begin();) {
    entry = std::prev(entry);
    plans.push_back(entry->value.plan);
  }
  return plans;
}

void PlanCache::drop_oldest(std::uint64_t most_bytes) {
  Plans::Entries dropped;
  const std::lock_guard lock(mutex_);
  if (plans_.empty()) return;
  // Removed plans still count until they are destroyed.
  std::uint64_t leaving = 0;
  const auto stays_over = [&] { return memory_->kept() > most_bytes + leaving; };
  while (stays_over() && std::prev(plans_.end()) != plans_.begin()) {
    const auto entry = std::prev(plans_.end());
    leaving += entry->value.plan->bytes();
    plans_.remove(entry, &dropped);
  }
}

template <class Is>
void PlanCache::remove_if(const Is& is, Plans::Entries* dropped) {
  for (auto entry = plans_.begin(); entry != plans_.end();) {
    entry = is(entry->value) ? plans_.remove(entry, dropped) : std::next(entry);
  }
}

std::size_t PlanCache::size() const {
  const std::lock_guard lock(mutex_);
  return plans_.size();
}

}  // namespace loci::executor
