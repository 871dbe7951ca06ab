#include "suspects.h"

#include <algorithm>

namespace loci::cuda {
namespace {

constexpr std::size_t kMostNamed = 8;

// The latest, because what was long ago has mostly ended.
std::string named(const std::vector<RecentLaunches::Launch>& launches) {
  const std::size_t first = launches.size() < kMostNamed ? 0 : launches.size() - kMostNamed;
  std::string names;
  for (std::size_t i = first; i < launches.size(); ++i) {
    if (!names.empty()) names += ", ";
    names += launches[i].op;
  }
  return names;
}

}  // namespace

std::shared_ptr<RecentLaunches> Suspects::add() {
  auto stream = std::make_shared<RecentLaunches>();
  const std::lock_guard lock(mutex_);
  streams_.erase(std::remove_if(streams_.begin(), streams_.end(),
                                [](const auto& each) { return each.expired(); }),
                 streams_.end());
  streams_.push_back(stream);
  return stream;
}

Suspects::Verdict Suspects::judge() const {
  std::uint64_t count = 0;
  std::vector<RecentLaunches::Launch> latest;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& each : streams_) {
      const auto stream = each.lock();
      if (stream == nullptr) continue;
      const RecentLaunches::Unproven found = stream->unproven();
      count += found.count;
      latest.insert(latest.end(), found.latest.begin(), found.latest.end());
    }
  }
  if (count == 0) return {};
  if (count == 1 && latest.size() == 1)
    return {"; it was " + named(latest), latest.front().correlation};
  const std::string what = count <= kMostNamed ? ": " : ", the latest of them ";
  return {"; it was one of the " + std::to_string(count) + " launches since the last wait" + what +
              named(latest) + " (under LOCI_CUDA_BLOCKING=1 the error names it)",
          0};
}

}  // namespace loci::cuda
