#include "framework/capture/graph_lanes.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace loci::capture {

GraphLanes::GraphLanes(std::shared_ptr<eager::Lane> origin) {
  lanes_.push_back({std::move(origin)});
}

std::size_t GraphLanes::number_of(const eager::Lane& lane) const {
  const auto found = std::find_if(lanes_.begin(), lanes_.end(),
                                  [&lane](const InGraph& in) { return in.lane.get() == &lane; });
  return static_cast<std::size_t>(found - lanes_.begin());
}

void GraphLanes::note_work(std::size_t number, std::string op) {
  lanes_[number].last = ++time_;
  lanes_[number].last_op = std::move(op);
}

void GraphLanes::wait_for(std::size_t waiting, std::size_t of, std::uint64_t mark) {
  lanes_[of].joined = std::max(lanes_[of].joined, mark - 1);
  lanes_[waiting].last = ++time_;
}

void GraphLanes::fork(std::shared_ptr<eager::Lane> lane) {
  lanes_.push_back({std::move(lane), ++time_, /*joined=*/0, "the wait with which it was forked"});
}

std::string GraphLanes::describe(std::size_t number) const {
  const std::string& op = lanes_[number].last_op;
  return op.empty() ? fmt::format("stream {}", number)
                    : fmt::format("stream {}, whose last work is {}", number, op);
}

std::vector<std::string> GraphLanes::unjoined() const {
  std::vector<std::string> streams;
  for (std::size_t i = 1; i < lanes_.size(); ++i) {
    if (lanes_[i].last > lanes_[i].joined) streams.push_back(describe(i));
  }
  return streams;
}

}  // namespace loci::capture
