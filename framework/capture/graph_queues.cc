#include "framework/capture/graph_queues.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace loci::capture {

GraphQueues::GraphQueues(std::shared_ptr<eager::Queue> origin) {
  queues_.push_back({std::move(origin)});
}

std::size_t GraphQueues::number_of(const eager::Queue& queue) const {
  const auto found = std::find_if(queues_.begin(), queues_.end(),
                                  [&queue](const InGraph& in) { return in.queue.get() == &queue; });
  return static_cast<std::size_t>(found - queues_.begin());
}

void GraphQueues::note_work(std::size_t number, std::string op) {
  queues_[number].last = ++time_;
  queues_[number].last_op = std::move(op);
}

void GraphQueues::wait_for(std::size_t waiting, std::size_t of, std::uint64_t mark) {
  queues_[of].joined = std::max(queues_[of].joined, mark - 1);
  queues_[waiting].last = ++time_;
}

void GraphQueues::fork(std::shared_ptr<eager::Queue> queue) {
  queues_.push_back({std::move(queue), ++time_, /*joined=*/0, "the wait with which it was forked"});
}

std::string GraphQueues::describe(std::size_t number) const {
  const std::string& op = queues_[number].last_op;
  return op.empty() ? fmt::format("stream {}", number)
                    : fmt::format("stream {}, whose last work is {}", number, op);
}

std::vector<std::string> GraphQueues::unjoined() const {
  std::vector<std::string> streams;
  for (std::size_t i = 1; i < queues_.size(); ++i) {
    if (queues_[i].last > queues_[i].joined) streams.push_back(describe(i));
  }
  return streams;
}

}  // namespace loci::capture
