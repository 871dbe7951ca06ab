#include "tools/cuda_double/driver/stream.h"

#include <algorithm>

#include "tools/cuda_double/driver/context.h"
#include "tools/cuda_double/driver/driver.h"

namespace loci::cuda_double {

Stream::Stream(Context& owner, unsigned stream_flags, int stream_priority, Role stream_role)
    : context(owner),
      flags(stream_flags),
      priority(stream_priority),
      role(stream_role),
      id(Driver::get().next_id()),
      actor(Driver::get().actors.take()) {}

Stream::~Stream() {
  ActorSupply& actors = Driver::get().actors;
  actors.give_back(actor);
  for (const Actor other : overlap_actors) actors.give_back(other);
}

std::vector<TaskPtr> Stream::dependencies() const {
  std::vector<TaskPtr> tasks;
  if (role == Role::kLegacy) tasks = context.blocking_ends();
  if (role != Role::kLegacy && is_blocking()) tasks.push_back(context.legacy().last);
  tasks.push_back(last);
  return tasks;
}

bool Stream::is_idle() const {
  const auto done = [](const TaskPtr& task) { return task == nullptr || task->done; };
  if (role != Role::kLegacy) return done(last);
  const auto ends = context.blocking_ends();
  return done(last) && std::all_of(ends.begin(), ends.end(), done);
}

}  // namespace loci::cuda_double
