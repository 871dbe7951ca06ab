// Whoever takes what a queue is given instead of the device: a graph that is being captured.
#pragma once

#include <cstdint>
#include <memory>

#include "framework/eager/task.h"
#include "framework/memory/allocator.h"

namespace loci::eager {

class Queue;

// Its functions throw Error where the work cannot be captured, or the thread may not add to it.
class WorkRecorder {
 public:
  virtual ~WorkRecorder() = default;

  // Memory for what the work makes: of the device, or of the host (null).
  virtual memory::Buffer allocate(device::Device* space, std::uint64_t bytes, const Queue& queue,
                                  const char* name) = 0;
  // The owner of that memory; it has to outlive the buffer.
  [[nodiscard]] virtual std::shared_ptr<void> pool(device::Device* space) = 0;
  // The task is part of the graph: it is done at each replay, and not now.
  virtual void record(Task& task, Queue& queue) = 0;

  // For the random ops that are recorded: the state that each replay sets before its work, of three
  // elements, in memory that none of that work writes; and the number of the next one among them.
  virtual Tensor random_state() = 0;
  virtual std::int64_t next_draw() = 0;

  // The gradient that the tensor keeps is read by what is recorded, or else replaced.
  virtual void note_gradient(const std::shared_ptr<tensor::TensorImpl>& tensor, bool is_read) = 0;
  // Returns true if the tensor still has the gradient that it had before.
  [[nodiscard]] virtual bool has_earlier_gradient(const tensor::TensorImpl& tensor) const = 0;

  // An event in a queue of the graph: a number above 0.
  virtual std::uint64_t mark(const Queue& queue) = 0;
  // A queue of the graph waits for that one of another;
  virtual void wait_for(const Queue& waiting, const Queue& of, std::uint64_t mark) = 0;
  // a queue that is not of the graph waits for one, and is of the graph from now on.
  virtual void join(const std::shared_ptr<Queue>& queue) = 0;
  // For whoever waits on the host, which a graph cannot: refuses, and the capture has failed.
  [[noreturn]] virtual void refuse_wait(const char* action) = 0;
  // The number of the graph, for messages.
  [[nodiscard]] virtual std::uint64_t number() const = 0;
};

// Storage in memory of the recorder's.
[[nodiscard]] std::shared_ptr<tensor::Storage> make_storage(WorkRecorder& recorder,
                                                            device::Device* space,
                                                            memory::Buffer memory, Queue& queue,
                                                            const char* name);
// Storage for one output of such work.
[[nodiscard]] std::shared_ptr<tensor::Storage> make_storage(WorkRecorder& recorder,
                                                            device::Device* space,
                                                            std::uint64_t bytes, Queue& queue,
                                                            const char* name);

}  // namespace loci::eager
