// Vector clocks: what is known to have happened before a piece of work.
//
// An actor is a sequence of work that is ordered in itself: a stream, or a chain of a graph's
// nodes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace loci::cuda_double {

using Actor = std::uint32_t;

// One piece of work of an actor; the first is 1.
struct Epoch {
  Actor actor = 0;
  std::uint64_t count = 0;
};

class Clock {
 public:
  [[nodiscard]] bool covers(const Epoch& epoch) const {
    return epoch.actor < counts_.size() && counts_[epoch.actor] >= epoch.count;
  }
  void advance(const Epoch& epoch) {
    if (counts_.size() <= epoch.actor) counts_.resize(epoch.actor + 1);
    counts_[epoch.actor] = std::max(counts_[epoch.actor], epoch.count);
  }
  // Without that piece of work of its actor, and with all before it.
  [[nodiscard]] Clock without(const Epoch& epoch) const {
    Clock clock = *this;
    clock.counts_[epoch.actor] = epoch.count - 1;
    return clock;
  }
  void join(const Clock& other) {
    if (counts_.size() < other.counts_.size()) counts_.resize(other.counts_.size());
    for (std::size_t i = 0; i < other.counts_.size(); ++i) {
      counts_[i] = std::max(counts_[i], other.counts_[i]);
    }
  }

 private:
  std::vector<std::uint64_t> counts_;
};

// Gives actors out. One that is given back is used again and goes on counting.
class ActorSupply {
 public:
  [[nodiscard]] Actor take() {
    if (unused_.empty()) {
      counts_.push_back(0);
      return static_cast<Actor>(counts_.size() - 1);
    }
    const Actor actor = unused_.back();
    unused_.pop_back();
    return actor;
  }
  void give_back(Actor actor) { unused_.push_back(actor); }
  [[nodiscard]] Epoch next(Actor actor) { return {actor, ++counts_[actor]}; }

 private:
  std::vector<std::uint64_t> counts_;
  std::vector<Actor> unused_;
};

}  // namespace loci::cuda_double
