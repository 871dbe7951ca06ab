// The streams of a graph: that in which it begins, and those that are forked off it by events.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "framework/eager/queue.h"

namespace loci::capture {

// Streams have numbers, as they came to the graph; 0 is the first.
class GraphQueues {
 public:
  explicit GraphQueues(std::shared_ptr<eager::Queue> origin);

  [[nodiscard]] const std::shared_ptr<eager::Queue>& queue(std::size_t number) const {
    return queues_[number].queue;
  }
  [[nodiscard]] std::size_t size() const { return queues_.size(); }
  // size() if it is none of the graph's.
  [[nodiscard]] std::size_t number_of(const eager::Queue& queue) const;
  [[nodiscard]] bool contains(const eager::Queue& queue) const { return number_of(queue) < size(); }

  // It has got work.
  void note_work(std::size_t number, std::string op);
  // An event in any of them: a number above 0.
  [[nodiscard]] std::uint64_t mark() const { return time_ + 1; }
  // One stream waits for such an event of another;
  void wait_for(std::size_t waiting, std::size_t of, std::uint64_t mark);
  // one that is not of the graph does, and is of the graph from now on.
  void fork(std::shared_ptr<eager::Queue> queue);

  // "stream 1, whose last work is relu"; "stream 0" before its first.
  [[nodiscard]] std::string describe(std::size_t number) const;
  // Describes each stream that was forked off and has work for which no other stream waits.
  [[nodiscard]] std::vector<std::string> unjoined() const;

 private:
  // Times count what there has been of work, forks and waits.
  struct InGraph {
    std::shared_ptr<eager::Queue> queue;
    std::uint64_t last = 0;    // of its latest work
    std::uint64_t joined = 0;  // up to which another stream waits for it
    std::string last_op = {};
  };

  std::vector<InGraph> queues_;
  std::uint64_t time_ = 0;
};

}  // namespace loci::capture
