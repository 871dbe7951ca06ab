#include "framework/capture/graph_cores.h"

#include <algorithm>
#include <loci/executor.hpp>
#include <utility>

#include "framework/capture/range_dependencies.h"
#include "framework/core/log.h"
#include "framework/core/thread_team.h"
#include "framework/planning/track_memory.h"
#include "framework/profiler/recording.h"

namespace loci::capture {
namespace {

using execution::CoreForksPolicy;

// Gives as many tracks as runs of programs have.
std::size_t most_tracks() {
  const auto streams = static_cast<std::size_t>(CompileOptions().streams);
  return std::min<std::size_t>(streams, core::process_width());
}

// Addresses that no memory has, one after the other.
class OwnAddresses {
 public:
  std::uint64_t take(std::uint64_t bytes) { return std::exchange(next_, next_ + bytes); }

 private:
  std::uint64_t next_ = std::uint64_t{1} << 63;
};

// A temporary's use, and the distance by which it is moved.
struct Move {
  GraphTemporary::Use use;
  std::uint64_t by = 0;
};

// A caller waits on a core of its own while a queue replays, so that helpers begin late.
constexpr std::uint64_t kLeastGainNs = 2000;

bool is_worthwhile(const execution::CoreForks& forks) {
  return execution::core_forks_policy() == CoreForksPolicy::kAlways ||
         forks.forked_ns + kLeastGainNs <= forks.plain_ns;
}

std::vector<Move> in_order(std::vector<Move> moves) {
  std::sort(moves.begin(), moves.end(), [](const Move& a, const Move& b) {
    return std::pair(a.use.item, a.use.argument) < std::pair(b.use.item, b.use.argument);
  });
  return moves;
}

std::vector<Move> to_own_addresses(const std::vector<GraphTemporary>& temporaries) {
  std::vector<Move> moves;
  OwnAddresses addresses;
  for (const GraphTemporary& each : temporaries) {
    const std::uint64_t by = addresses.take(each.bytes) - each.data;
    for (const GraphTemporary::Use& use : each.uses) moves.push_back({use, by});
  }
  return in_order(std::move(moves));
}

// Calls visit(item, extent, writes) for what each launch reads, then for what it writes.
template <class Visit>
void visit_moved(const LaunchList& list, const std::vector<Move>& moves, const Visit& visit) {
  auto next = moves.begin();
  for (std::uint32_t item = 0; item < list.size(); ++item) {
    list.visit_memory(item, [&](const LaunchList::Memory& memory) {
      const std::pair argument(item, memory.argument);
      const auto use = [&] { return std::pair(next->use.item, next->use.argument); };
      while (next != moves.end() && use() < argument) ++next;
      const bool is_moved = next != moves.end() && use() == argument;
      const std::uintptr_t begin =
          reinterpret_cast<std::uintptr_t>(memory.data) + (is_moved ? next->by : 0);
      visit(item, Extent{nullptr, begin, memory.bytes}, memory.is_written);
    });
  }
}

// When all uses have ended.
planning::Clock end_of(const GraphTemporary& temporary, const planning::Timeline& timeline) {
  planning::Clock clock;
  for (const GraphTemporary::Use& use : temporary.uses) {
    const std::size_t track = timeline.track(use.item);
    if (track >= clock.size()) clock.resize(track + 1);
    clock[track] = std::max(clock[track], timeline.time(use.item));
  }
  return clock;
}

planning::MemoryPlan place(const std::vector<GraphTemporary>& temporaries,
                           const planning::Timeline& timeline) {
  std::vector<planning::Clock> ends;
  ends.reserve(temporaries.size());
  for (const GraphTemporary& each : temporaries) ends.push_back(end_of(each, timeline));
  std::vector<planning::TrackBuffer> buffers;
  for (std::size_t i = 0; i < temporaries.size(); ++i) {
    const std::vector<GraphTemporary::Use>& uses = temporaries[i].uses;
    buffers.push_back({temporaries[i].bytes, static_cast<std::int32_t>(uses.front().item),
                       static_cast<std::int32_t>(uses.back().item), &ends[i]});
  }
  return plan_memory(buffers, timeline);
}

}  // namespace

bool GraphCores::may_share(const device::Device& device) {
  return device.is_inline() && most_tracks() > 1 &&
         execution::core_forks_policy() != CoreForksPolicy::kOff;
}

GraphCores::GraphCores(LaunchList& list, std::vector<GraphTemporary> temporaries,
                       GraphMemory& memory, std::uint64_t most_bytes)
    : list_(list),
      temporaries_(std::move(temporaries)),
      graph_memory_(memory),
      most_bytes_(most_bytes) {}

GraphCores::~GraphCores() { graph_memory_.give_beside(memory_bytes_); }

void GraphCores::run(const LaunchList::Target& target, std::uint64_t correlation) {
  if (runs_ != nullptr) {
    counts_.note(runs_->choice(), runs_->run(target, correlation));
    return;
  }
  const bool is_recorded = profiler::records_at(profiler::Level::kOp);
  if (is_recorded || !list_.has_run() || !times_.is_wanted()) {
    return list_.run(0, list_.size(), target, correlation);
  }
  times_.measure(list_.size(),
                 [&](std::size_t item) { list_.run(item, item + 1, target, correlation + item); });
  if (times_.take_ready()) consider();
}

// The replay has succeeded, and the list goes on as it is where this fails.
void GraphCores::consider() {
  try {
    const bool always = execution::core_forks_policy() == CoreForksPolicy::kAlways;
    auto made = plan_core_forks(find_launches(), most_tracks(), times_.launches(), always);
    if (made && is_worthwhile(made->forks) && move_temporaries(made->timeline)) {
      forks_ = std::move(made->forks);
      runs_ = std::make_unique<ListRuns>(forks_, list_);
      is_shared_.store(true, std::memory_order_release);
    }
  } catch (const Error& error) {
    core::log(core::Module::kCapture, core::Level::kDebug, "launches stay on one thread: {}",
              error.what());
  }
  temporaries_ = {};
}

planning::CoreLaunches GraphCores::find_launches() const {
  planning::CoreLaunches launches;
  std::vector<Extent> written;
  const std::vector<Move> moves = to_own_addresses(temporaries_);
  visit_moved(list_, moves, [&](std::uint32_t /*item*/, const Extent& extent, bool writes) {
    if (writes) written.push_back(extent);
  });
  written = united(std::move(written));
  RangeDependencies ranges(list_.size());
  visit_moved(list_, moves, [&](std::uint32_t item, const Extent& extent, bool writes) {
    const std::uint64_t end = extent.begin + extent.bytes;
    // Memory that nobody writes, such as weights, nobody waits for, however many read it.
    if (writes) {
      ranges.write(item, extent.begin, end);
    } else if (meet(written, extent)) {
      ranges.read(item, extent.begin, end);
    }
  });
  launches.dependencies = ranges.take();
  for (std::size_t item = 0; item < list_.size(); ++item) {
    launches.are_kernels.push_back(list_.is_free(item));
  }
  return launches;
}

// False where that would take more memory than it may.
bool GraphCores::move_temporaries(const planning::Timeline& timeline) {
  const planning::MemoryPlan plan = place(temporaries_, timeline);
  if (plan.bytes > most_bytes_) return false;
  memory_ = memory::host_allocator().allocate(plan.bytes, nullptr, "(shared launches)");
  memory_bytes_ = plan.bytes;
  graph_memory_.take_beside(memory_bytes_);
  const auto begin = reinterpret_cast<std::uint64_t>(memory_.data());
  for (std::size_t i = 0; i < temporaries_.size(); ++i) {
    const std::uint64_t by = begin + plan.offsets[i] - temporaries_[i].data;
    for (const GraphTemporary::Use& use : temporaries_[i].uses) {
      list_.move(use.item, use.argument, by);
    }
  }
  return true;
}

std::string GraphCores::told() const {
  if (!is_shared_.load(std::memory_order_acquire)) return {};
  return execution::cores_text(forks_.launches, forks_.segments, counts_.told());
}

}  // namespace loci::capture
