#include "framework/eager/task.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "framework/eager/call_scope.h"
#include "framework/eager/launch.h"
#include "framework/eager/queue.h"
#include "framework/eager/site.h"
#include "framework/profiler/correlation.h"
#include "framework/profiler/parts.h"

namespace loci::eager {
namespace {

using tensor::TensorImpl;

constexpr std::size_t kFewArguments = 8;
constexpr std::size_t kLookedBack = 4;  // among sources, for one that is there already

void launch(const Task& task, loci_stream* stream) {
  InlineList<const TensorImpl*, kFewArguments> arguments;
  arguments.reserve(task.arguments.size());
  for (const auto& argument : task.arguments) arguments.push_back(argument.get());
  eager::launch(*task.plan, arguments.data(), stream, task.correlation);
}

bool is_for_operator(transfer::Reason reason) {
  return reason == transfer::Reason::kPrepareData || reason == transfer::Reason::kFallback ||
         reason == transfer::Reason::kHostRead;
}

void copy(const Task& task, loci_stream* stream) {
  const TensorImpl& from = *task.arguments[0];
  const TensorImpl& to = *task.arguments[1];
  transfer::Labels labels = task.labels;
  labels.dtype = from.dtype();
  // The operator that it is for is launched apart from it, mostly on another thread.
  std::optional<profiler::Scope> of_operator;
  if (task.operator_label != 0 && CallScope::innermost() == nullptr) {
    of_operator.emplace(task.operator_label);
    of_operator->add_flags(LOCI_SPAN_PART);
  }
  std::optional<profiler::Scope> prepare_data;
  if (is_for_operator(labels.reason)) {
    prepare_data.emplace(label_of(profiler::Part::kPrepareData), 0, profiler::Level::kDetail);
  }
  transfer::copy({from.storage()->device, from.data()}, {to.storage()->device, to.data()},
                 from.bytes(), labels, stream, /*wait=*/false, task.permit);
}

void run_batch(const Task& task, Queue& queue) {
  const std::uint64_t correlation = task.correlation != 0
                                        ? task.correlation
                                        : profiler::take_correlations(task.batch->correlations());
  task.batch->run(queue, queue.stream(), correlation);
}

// Returns true if others share its memory, and their elements stay as they are.
bool is_part(const TensorImpl& tensor) { return tensor.bytes() < tensor.storage()->bytes; }

// Returns true if of that input only its type matters.
bool asks_for_form(const Task& task, std::size_t input) {
  return task.plan != nullptr && task.plan->inputs[input].residence == ops::Residence::kMetadata;
}

template <class Visit>
void for_each_output(const Task& task, const Visit& visit) {
  for (std::size_t i = task.input_count(); i < task.arguments.size(); ++i) {
    if (task.arguments[i] != nullptr) visit(*task.arguments[i]->storage());
  }
}

}  // namespace

void add_source(const tensor::Ticket& source, Sources* sources) {
  if (sources == nullptr || source.queue == nullptr) return;
  const std::size_t count = sources->size();
  for (std::size_t i = count - std::min(count, kLookedBack); i < count; ++i) {
    const tensor::Ticket& known = (*sources)[i];
    if (known.queue == source.queue && known.number == source.number) return;
  }
  sources->push_back(source);
}

void enter_uses(Task& task, const tensor::Ticket& ticket, Sources* sources) {
  if (task.batch != nullptr) return task.batch->enter_uses(ticket, &task.before, sources);
  const std::size_t inputs = task.input_count();
  for (std::size_t i = 0; i < task.arguments.size(); ++i) {
    if (task.arguments[i] == nullptr) continue;
    tensor::Uses& uses = task.arguments[i]->storage()->uses;
    const bool is_read = i < inputs;
    const bool for_host = is_read && task.reads_on_host(i);
    const bool is_source = is_read || is_part(*task.arguments[i]);
    tensor::Tickets before;
    tensor::Ticket source;
    // The task's own queue, too, may write what the host is to read.
    if (for_host) before = uses.pending(/*writers_only=*/true);
    uses.enter(ticket, /*writes=*/!is_read, &before, &source);
    for (const tensor::Ticket& each : before) task.before.push_back({each, is_source, for_host});
    const bool is_own = source.queue == ticket.queue && source.number == ticket.number;
    if (is_source && !is_own) add_source(source, sources);
  }
}

bool is_ready(const Task& task) {
  if (task.batch != nullptr) return task.batch->is_ready();
  const std::size_t inputs = task.input_count();
  for (std::size_t i = 0; i < task.arguments.size(); ++i) {
    if (task.arguments[i] == nullptr) continue;
    if (!task.arguments[i]->storage()->uses.has_ended(/*writers_only=*/i < inputs)) return false;
  }
  return true;
}

void run_task(Task& task, Queue& queue) {
  loci_stream* stream = queue.stream();
  if (task.batch != nullptr) return run_batch(task, queue);
  for_each_output(task, [](tensor::Storage& storage) { storage.provide(); });
  if (task.plan != nullptr) {
    launch(task, stream);
  } else if (!task.arguments.empty()) {
    copy(task, stream);
  } else if (task.host_function != nullptr) {
    run_host_function(*task.host_function);
  }
}

void fail_outputs(Task& task, const std::shared_ptr<tensor::Failure>& failure) {
  if (task.batch != nullptr) return task.batch->fail(failure);
  for_each_output(task, [&](tensor::Storage& storage) { storage.uses.fail(failure); });
}

bool inherit_failure(Task& task) {
  if (task.batch != nullptr) {
    const std::shared_ptr<tensor::Failure> failure = task.batch->failed_input();
    if (failure != nullptr) task.batch->fail(failure);
    return failure != nullptr;
  }
  for (std::size_t i = 0; i < task.input_count(); ++i) {
    if (task.arguments[i] == nullptr || asks_for_form(task, i)) continue;
    const tensor::Uses& uses = task.arguments[i]->storage()->uses;
    if (!uses.has_failed()) continue;
    fail_outputs(task, uses.failure());
    return true;
  }
  return false;
}

void clear_failures(Task& task) {
  if (task.batch != nullptr) return task.batch->clear_failures();
  for (std::size_t i = task.input_count(); i < task.arguments.size(); ++i) {
    const TensorImpl* output = task.arguments[i].get();
    if (output == nullptr || is_part(*output)) continue;
    tensor::Storage& storage = *output->storage();
    if (!storage.uses.has_failed()) continue;
    storage.uses.clear_failure();
    if (tensor::awaits_replay(storage)) storage.absence = nullptr;
  }
}

std::string describe(const Task& task) {
  if (task.batch != nullptr) {
    return fmt::format("{}, enqueued at {}", task.batch->describe(), describe_site(task.site));
  }
  if (task.plan == nullptr && task.arguments.empty()) {
    return fmt::format("[launch_host_function] enqueued at {}", describe_site(task.site));
  }
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
                           : fmt::format("from {} to {}", task.arguments[0]->place().to_string(),
                                         task.arguments[1]->place().to_string());
  return fmt::format("[{}] {} {}, enqueued at {}",
                     task.plan != nullptr ? task.plan->schema->name() : "copy", arguments, place,
                     describe_site(task.site));
}

}  // namespace loci::eager
