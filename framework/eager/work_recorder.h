// Whoever takes what a lane is given instead of the device: a graph that is being captured.
#pragma once

#include <cstdint>
#include <memory>

#include "framework/eager/task.h"
#include "framework/memory/allocator.h"

namespace loci::eager {

class Lane;

// Its functions throw Error where the work cannot be captured, or the thread may not add to it.
class WorkRecorder {
 public:
  virtual ~WorkRecorder() = default;

  // Memory for what the work makes: of the device, or of the host (null).
  virtual memory::Buffer allocate(device::Device* space, std::uint64_t bytes, const Lane& lane,
                                  const char* name) = 0;
  // What that memory is from; it has to outlive the buffer.
  [[nodiscard]] virtual std::shared_ptr<void> pool(device::Device* space) = 0;
  // The task is part of the graph: it is done at each replay, and not now.
  virtual void record(Task& task, Lane& lane) = 0;

  // For the random ops that are recorded: the state that each replay sets, of three elements, and
  // the number of the next one among them.
  virtual Tensor random_state() = 0;
  virtual std::int64_t next_draw() = 0;

  // An event in a lane of the graph: a number above 0.
  virtual std::uint64_t mark(const Lane& lane) = 0;
  // A lane of the graph waits for that one of another;
  virtual void wait_for(const Lane& waiting, const Lane& of, std::uint64_t mark) = 0;
  // a lane that is not of the graph waits for one, and is of the graph from now on.
  virtual void join(const std::shared_ptr<Lane>& lane) = 0;
  // For whoever waits on the host, which a graph cannot: refuses, and the capture has failed.
  [[noreturn]] virtual void refuse_wait(const char* action) = 0;
  // Of the graph, for messages.
  [[nodiscard]] virtual std::uint64_t number() const = 0;
};

// Storage for one output of such work.
[[nodiscard]] std::shared_ptr<tensor::Storage> make_storage(WorkRecorder& recorder,
                                                            device::Device* space,
                                                            std::uint64_t bytes, Lane& lane,
                                                            const char* name);

}  // namespace loci::eager
