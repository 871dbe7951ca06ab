#include "framework/eager/task.h"

#include <fmt/format.h>

#include <cstring>
#include <vector>

#include "framework/eager/site.h"
#include "framework/plugin/abi_error.h"
#include "framework/profiler/correlation.h"
#include "framework/profiler/scope.h"

namespace loci::eager {
namespace {

using tensor::TensorImpl;

// Views of a few arguments need no allocation.
constexpr std::size_t kInlineViews = 8;
// A thread takes correlation ids in blocks, since their counter is shared.
constexpr std::uint64_t kCorrelationBlock = 64;

std::uint64_t next_correlation() {
  thread_local std::uint64_t next = 0;
  thread_local std::uint64_t end = 0;
  if (next == end) {
    next = profiler::take_correlations(kCorrelationBlock);
    end = next + kCorrelationBlock;
  }
  return next++;
}

// The arguments of one launch in the ABI's form.
class Views {
 public:
  explicit Views(const Task& task) {
    const std::vector<loci_view>& planned = task.plan->views;
    views_.reserve(planned.size());
    pointers_.reserve(planned.size());
    for (std::size_t i = 0; i < planned.size(); ++i) {
      loci_view& view = views_.emplace_back(planned[i]);
      const bool has_elements = view.residence != LOCI_RESIDENCE_METADATA && view.bytes > 0;
      if (task.arguments[i] != nullptr && has_elements) view.data = task.arguments[i]->data();
      pointers_.push_back(&view);
    }
  }
  [[nodiscard]] const loci_view* const* inputs() const { return pointers_.data(); }
  [[nodiscard]] const loci_view* const* outputs(const Task& task) const {
    return pointers_.data() + task.plan->inputs.size();
  }

 private:
  InlineList<loci_view, kInlineViews> views_;
  InlineList<const loci_view*, kInlineViews> pointers_;
};

memory::Allocator& allocator_of(const device::Device& device) {
  return device.uses_host_memory() ? memory::host_allocator()
                                   : memory::device_allocator(const_cast<device::Device&>(device));
}

// State is kept per frame of a plan; a call has a frame of its own.
memory::Buffer zeroed_state(std::uint64_t bytes) {
  if (bytes == 0) return {};
  memory::Buffer state = memory::host_allocator().allocate(bytes, nullptr, "(kernel state)");
  std::memset(state.data(), 0, bytes);
  return state;
}

void launch(const Task& task, loci_stream* stream) {
  const CallPlan& plan = *task.plan;
  if (plan.kernel == nullptr) return;
  const std::uint64_t correlation = next_correlation();
  const profiler::Scope scope(label_of(plan), correlation);
  const Views views(task);
  memory::Buffer workspace;
  if (plan.kernel->workspace_bytes() > 0) {
    workspace =
        allocator_of(*plan.device).allocate(plan.kernel->workspace_bytes(), stream, "(workspace)");
  }
  const memory::Buffer state = zeroed_state(plan.kernel->state_bytes());
  loci_launch call{};
  call.inputs = views.inputs();
  call.outputs = views.outputs(task);
  call.workspace = workspace.data();
  call.state = state.data();
  call.stream = stream;
  call.correlation = correlation;
  plugin::check(plan.kernel->launch()(plan.kernel->handle(), &call));
}

void copy(const Task& task, loci_stream* stream) {
  const TensorImpl& from = *task.arguments[0];
  const TensorImpl& to = *task.arguments[1];
  transfer::Labels labels = task.labels;
  labels.dtype = from.dtype();
  transfer::copy({from.storage()->device, from.data()}, {to.storage()->device, to.data()},
                 from.bytes(), labels, stream, /*wait=*/false);
}

template <class Visit>
void for_each_output(const Task& task, const Visit& visit) {
  for (std::size_t i = task.input_count(); i < task.arguments.size(); ++i) {
    if (task.arguments[i] != nullptr) visit(*task.arguments[i]->storage());
  }
}

}  // namespace

void enter_uses(Task& task, const tensor::Ticket& ticket) {
  const std::size_t inputs = task.input_count();
  for (std::size_t i = 0; i < task.arguments.size(); ++i) {
    if (task.arguments[i] == nullptr) continue;
    task.arguments[i]->storage()->uses.enter(ticket, /*writes=*/i >= inputs, &task.before);
  }
}

bool is_ready(const Task& task) {
  const std::size_t inputs = task.input_count();
  for (std::size_t i = 0; i < task.arguments.size(); ++i) {
    if (task.arguments[i] == nullptr) continue;
    const tensor::Uses& uses = task.arguments[i]->storage()->uses;
    if (uses.is_idle()) continue;
    for (const tensor::Ticket& ticket : uses.pending(/*writers_only=*/i < inputs)) {
      if (!ticket.has_ended()) return false;
    }
  }
  return true;
}

void run_task(Task& task, loci_stream* stream) {
  try {
    if (task.plan != nullptr) {
      launch(task, stream);
    } else if (!task.arguments.empty()) {
      copy(task, stream);
    }
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("{}: {}", describe(task), error.what()), error.details());
  }
}

void fail_outputs(Task& task, const std::shared_ptr<tensor::Failure>& failure) {
  for_each_output(task, [&](tensor::Storage& storage) { storage.uses.fail(failure); });
}

bool inherit_failure(Task& task) {
  for (std::size_t i = 0; i < task.input_count(); ++i) {
    if (task.arguments[i] == nullptr) continue;
    const tensor::Uses& uses = task.arguments[i]->storage()->uses;
    if (!uses.has_failed()) continue;
    fail_outputs(task, uses.failure());
    return true;
  }
  return false;
}

void forgive_outputs(Task& task) {
  for_each_output(task, [](tensor::Storage& storage) { storage.uses.forgive(); });
}

std::string describe(const Task& task) {
  std::string arguments;
  for (std::size_t i = 0; i < task.input_count(); ++i) {
    const TensorImpl* argument = task.arguments[i].get();
    if (argument == nullptr) continue;
    arguments += fmt::format("{}{}{}{} {}", i == 0 ? "" : ", ", argument->name(),
                             argument->name().empty() ? "" : " ", dtype_name(argument->dtype()),
                             argument->shape().to_string());
  }
  const std::string place =
      task.plan != nullptr ? "at " + task.plan->device->place().to_string()
      : task.arguments.size() < 2
          ? std::string()
          : fmt::format("from {} to {}", task.arguments[0]->place().to_string(),
                        task.arguments[1]->place().to_string());
  return fmt::format("[{}] {} {}, enqueued at {}",
                     task.plan != nullptr ? task.plan->schema->name() : "copy", arguments, place,
                     describe_site(task.site));
}

}  // namespace loci::eager
