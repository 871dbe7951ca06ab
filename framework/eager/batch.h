// Work of many ops that a queue takes as one task: the replay of a graph.
#pragma once

#include <loci/abi/base.h>

#include <cstdint>
#include <loci/inline_list.hpp>
#include <memory>
#include <string>
#include <vector>

#include "framework/tensor/uses.h"

namespace loci::eager {

class Queue;
struct Dependency;

// The parts of a batch, for messages: they outlive the batch where work is in question.
struct BatchParts {
  std::string name;                // "graph 3 at sim:0"
  std::vector<std::string> parts;  // "[relu] float32[4] at sim:0", in order

  // "[relu] float32[4] at sim:0, in a replay of graph 3 at sim:0"; past the end: what the batch
  // does by itself.
  [[nodiscard]] std::string describe(std::uint64_t part) const;
};

// Its tensors are used as those of a task are: what it reads or writes waits for others, and others
// for it. Of one replay at a time.
class Batch {
 public:
  virtual ~Batch() = default;

  // Enters the uses of all its tensors; adds to `before` what it has to wait for, and to `sources`,
  // unless that is null, who has written what it reads.
  virtual void enter_uses(const tensor::Ticket& ticket, InlineList<Dependency, 4>* before,
                          InlineList<tensor::Ticket, 4>* sources) = 0;
  // True if nothing that it waits for is under way; enters nothing.
  [[nodiscard]] virtual bool is_ready() const = 0;
  // True if it may run on the calling thread of an inline device.
  [[nodiscard]] virtual bool is_small() const = 0;
  [[nodiscard]] virtual std::shared_ptr<const BatchParts> parts() const = 0;
  // How many correlation ids a run of it has: one for each part, then those of what it does by
  // itself.
  [[nodiscard]] virtual std::uint64_t correlations() const = 0;
  // Hands all of it to the stream of the queue, or does it on an inline device. Its ids begin with
  // that one. Throws Error.
  virtual void run(Queue& queue, loci_stream* stream, std::uint64_t correlation) = 0;
  // Leaves the failure in what it should have written.
  virtual void fail(const std::shared_ptr<device::Failure>& failure) = 0;
  // The failure of one of its inputs; else null.
  [[nodiscard]] virtual std::shared_ptr<device::Failure> failed_input() const = 0;
  // Earlier failures of what it writes no longer count.
  virtual void clear_failures() = 0;
  // "[replay] graph 3 (41 launches) at sim:0".
  [[nodiscard]] virtual std::string describe() const = 0;
};

}  // namespace loci::eager
