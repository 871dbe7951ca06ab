// Streams and events: in which order work runs.
#pragma once

#include <map>
#include <memory>
#include <thread>
#include <vector>

#include "tools/cuda_double/driver/object.h"
#include "tools/cuda_double/driver/task.h"

namespace loci::cuda_double {

class Context;
struct Capture;
struct Node;

class Stream : public Object {
 public:
  static constexpr const char* kKind = "stream";
  enum class Role { kPlain, kLegacy, kPerThread };

  Stream(Context& owner, unsigned stream_flags, int stream_priority, Role stream_role);
  ~Stream() override;
  [[nodiscard]] const char* kind() const override { return kKind; }

  // Waits for the legacy stream, and that for it.
  [[nodiscard]] bool is_blocking() const { return (flags & CU_STREAM_NON_BLOCKING) == 0; }
  // Returns the tasks that the next work has to wait for.
  [[nodiscard]] std::vector<TaskPtr> dependencies() const;
  // Returns true if all of its work is done, with what it waits for by its role.
  [[nodiscard]] bool is_idle() const;

  Context& context;
  const unsigned flags;
  const int priority;
  const Role role;
  const std::uint64_t id;
  const Actor actor;
  // For kernels that do not wait for the one before: one after the other in a row of such.
  std::vector<Actor> overlap_actors;
  // A kernel at the end of the stream: what it comes behind, and its number in such a row.
  struct LastKernel {
    TaskPtr end;  // the stream's last work, as long as it is that
    Clock before;
    std::size_t row = 0;
  };
  LastKernel last_kernel;
  TaskPtr last;                      // NULL: there was none yet
  std::shared_ptr<Capture> capture;  // that it takes part in
};

class Event : public Object {
 public:
  static constexpr const char* kKind = "event";

  Event(Context& owner, unsigned event_flags) : context(owner), flags(event_flags) {}
  [[nodiscard]] const char* kind() const override { return kKind; }
  [[nodiscard]] bool has_timing() const { return (flags & CU_EVENT_DISABLE_TIMING) == 0; }

  // Outside of captures.
  void record_at(const TaskPtr& task) {
    record = task;
    capture = nullptr;
  }

  Context& context;
  const unsigned flags;
  TaskPtr record;  // the latest; NULL: never recorded
  // Set while the latest record was captured.
  std::shared_ptr<Capture> capture;
  std::vector<Node*> captured_nodes;
};

}  // namespace loci::cuda_double
