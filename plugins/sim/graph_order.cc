#include "plugins/sim/graph_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <loci/plugin/error.hpp>
#include <utility>

namespace loci::sim {

void GraphOrder::begin(std::uint64_t item) {
  if (has_begun_) ended_[item_] = tips_;
  has_begun_ = true;
  item_ = item;
}

const std::vector<std::uint32_t>& GraphOrder::end_of(std::uint64_t item) const {
  const auto found = ended_.find(item);
  if (found != ended_.end()) return found->second;
  throw sdk::Error(LOCI_CODE_INVALID_ARGUMENT,
                   fmt::format("[sim] item {} is to wait for item {}, which was not announced "
                               "before it; announce items in their order",
                               item_, item));
}

void GraphOrder::depend(const std::uint64_t* items, std::uint64_t count) {
  std::vector<std::uint32_t> tips;
  for (std::uint64_t i = 0; i < count; ++i) {
    for (const std::uint32_t tip : end_of(items[i])) {
      if (std::find(tips.begin(), tips.end(), tip) == tips.end()) tips.push_back(tip);
    }
  }
  tips_ = std::move(tips);
}

// A lane whose latest task has ended by then.
std::uint32_t GraphOrder::choose_lane(const Clock& known) {
  for (std::size_t lane = 0; lane < lengths_.size(); ++lane) {
    const std::uint32_t ended = lane < known.size() ? known[lane] : 0;
    if (ended == lengths_[lane]) return static_cast<std::uint32_t>(lane);
  }
  lengths_.push_back(0);
  return static_cast<std::uint32_t>(lengths_.size() - 1);
}

GraphPlace GraphOrder::add() {
  Clock known;
  for (const std::uint32_t task : tips_) {
    const Clock& ended = clocks_[task];
    if (known.size() < ended.size()) known.resize(ended.size());
    for (std::size_t lane = 0; lane < ended.size(); ++lane) {
      known[lane] = std::max(known[lane], ended[lane]);
    }
  }
  const std::uint32_t lane = choose_lane(known);
  if (known.size() <= lane) known.resize(lane + std::size_t{1});
  known[lane] = ++lengths_[lane];
  const auto number = static_cast<std::uint32_t>(clocks_.size());
  clocks_.push_back(std::move(known));
  return {std::exchange(tips_, {number}), lane};
}

}  // namespace loci::sim
