#include "graph_launches.h"

#include <utility>

#include "correlation_scope.h"

namespace loci::cuda {
namespace {

class CorrelatedLaunch final : public TracedSpan {
 public:
  ~CorrelatedLaunch() override {
    if (is_begun) end_correlation();
  }
  bool is_begun = false;
};

}  // namespace

// Never destroyed: graphs may be launched until the process ends.
GraphLaunches& GraphLaunches::instance() {
  static auto& launches = *new GraphLaunches;
  return launches;
}

std::unique_ptr<TracedSpan> GraphLaunches::begin(const TracedLaunch& launch) {
  if (!is_correlating()) return nullptr;
  auto span = std::make_unique<CorrelatedLaunch>();
  std::uint64_t id = 0;
  {
    const std::lock_guard lock(mutex_);
    id = kMark | ++last_;
    launches_.emplace(id, launch);
    if (launches_.size() > kMost) launches_.erase(launches_.begin());
    had_bodies_ = had_bodies_ || launch.has_bodies;
  }
  span->is_begun = begin_correlation(id);
  if (span->is_begun) return span;
  forget(id);
  return nullptr;
}

std::optional<TracedLaunch> GraphLaunches::find(std::uint64_t id) const {
  const std::lock_guard lock(mutex_);
  const auto found = launches_.find(id);
  return found == launches_.end() ? std::nullopt : std::optional(found->second);
}

bool GraphLaunches::take_had_bodies() {
  const std::lock_guard lock(mutex_);
  return std::exchange(had_bodies_, false);
}

void GraphLaunches::forget(std::uint64_t id) {
  const std::lock_guard lock(mutex_);
  launches_.erase(id);
}

void GraphLaunches::forget_all() {
  const std::lock_guard lock(mutex_);
  launches_.clear();
}

}  // namespace loci::cuda
