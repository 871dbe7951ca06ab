#include "framework/planning/track_memory.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <optional>
#include <queue>
#include <tuple>
#include <utility>

#include "framework/planning/free_ranges.h"

namespace loci::planning {
namespace {

// Gaps of another track that are looked at, of the smallest ones that would do.
constexpr int kMostTries = 8;

// A buffer whose end a track does not know of yet.
struct Waiting {
  std::uint32_t time;  // of the track that it waits for
  std::size_t buffer;
  bool operator>(const Waiting& other) const {
    return std::tie(time, buffer) > std::tie(other.time, other.buffer);
  }
};
using Queue = std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>>;

class TrackPlanner {
 public:
  TrackPlanner(const std::vector<TrackBuffer>& buffers, const Timeline& timeline)
      : buffers_(buffers), timeline_(timeline) {
    plan_.offsets.resize(buffers.size());
  }

  MemoryPlan run() {
    std::size_t instruction = 0;
    for (const std::size_t index : in_order()) {
      const std::uint64_t bytes = aligned(index);
      if (bytes == 0) continue;
      const auto first = static_cast<std::size_t>(buffers_[index].first);
      while (instruction <= first) release(instruction++);
      plan_.offsets[index] = take(first, bytes);
      if (buffers_[index].ended != nullptr) await(owner(index), index, 0);
    }
    return std::move(plan_);
  }

 private:
  struct Track {
    explicit Track(std::uint64_t* end) : free(end) {}
    FreeRanges<Clock> free;
    std::vector<Queue> waiting;  // by the track that they wait for
  };

  // Buffers that one instruction needs come the largest first, which finds gaps least easily.
  [[nodiscard]] std::vector<std::size_t> in_order() const {
    std::vector<std::size_t> order(buffers_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      const auto key = [&](std::size_t i) {
        return std::make_tuple(buffers_[i].first, ~buffers_[i].bytes, i);
      };
      return key(a) < key(b);
    });
    return order;
  }

  [[nodiscard]] std::uint64_t aligned(std::size_t index) const {
    return (buffers_[index].bytes + kArenaAlignment - 1) / kArenaAlignment * kArenaAlignment;
  }
  [[nodiscard]] std::size_t owner(std::size_t index) const {
    return timeline_.track(static_cast<std::size_t>(buffers_[index].last));
  }
  Track& track(std::size_t number) {
    while (tracks_.size() <= number) tracks_.emplace_back(&plan_.bytes);
    return tracks_[number];
  }

  // From the track `from` on, to the first that the owner may have to hear of.
  void await(std::size_t owner, std::size_t index, std::size_t from) {
    const Clock& ended = *buffers_[index].ended;
    Track& own = track(owner);
    while (from < ended.size() && ended[from] == 0) ++from;
    if (from == ended.size()) {
      own.free.give_back(plan_.offsets[index], aligned(index), ended);
      return;
    }
    if (own.waiting.size() <= from) own.waiting.resize(from + 1);
    own.waiting[from].push({ended[from], index});
  }

  static std::optional<std::size_t> pop(Queue* waiting, std::uint32_t known) {
    if (waiting->empty() || waiting->top().time > known) return std::nullopt;
    const std::size_t index = waiting->top().buffer;
    waiting->pop();
    return index;
  }

  // Frees for its track the buffers whose uses the instruction knows to have ended.
  void release(std::size_t instruction) {
    const std::size_t owner = timeline_.track(instruction);
    for (std::size_t other = 0; other < track(owner).waiting.size(); ++other) {
      const std::uint32_t known = timeline_.known(instruction, other);
      while (const auto index = pop(&track(owner).waiting[other], known)) {
        await(owner, *index, other + 1);
      }
    }
  }

  [[nodiscard]] bool knows(std::size_t instruction, const Clock& ended) const {
    for (std::size_t track = 0; track < ended.size(); ++track) {
      if (ended[track] > timeline_.known(instruction, track)) return false;
    }
    return true;
  }

  std::uint64_t take(std::size_t instruction, std::uint64_t bytes) {
    const std::size_t own = timeline_.track(instruction);
    const auto known = [&](const Clock& ended) { return knows(instruction, ended); };
    if (const auto found = track(own).free.take(bytes, 1, known)) return *found;
    for (std::size_t other = 0; other < tracks_.size(); ++other) {
      if (other == own) continue;
      if (const auto found = tracks_[other].free.take(bytes, kMostTries, known)) return *found;
    }
    return track(own).free.grow(bytes);
  }

  const std::vector<TrackBuffer>& buffers_;
  const Timeline& timeline_;
  MemoryPlan plan_;
  std::vector<Track> tracks_;
};

}  // namespace

MemoryPlan plan_memory(const std::vector<TrackBuffer>& buffers, const Timeline& timeline) {
  return TrackPlanner(buffers, timeline).run();
}

}  // namespace loci::planning
