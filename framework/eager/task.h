// One op or copy on its way.
#pragma once

#include <loci/abi/base.h>

#include <cstdint>
#include <loci/inline_list.hpp>
#include <memory>
#include <string>

#include "framework/eager/batch.h"
#include "framework/eager/call_plan.h"
#include "framework/eager/host_function.h"
#include "framework/memory/allocator.h"
#include "framework/tensor/tensor_impl.h"
#include "framework/transfer/transfer.h"

namespace loci::eager {

// A piece of work that a task waits for.
struct Dependency {
  tensor::Ticket ticket;
  bool is_source = false;  // writes what the task reads: if it has failed, so has the task
  bool for_host = false;   // has to have ended for the host, not only to come before on the device
};

// Who has written what a task reads, or writes but a part of, as it was entered: where a device
// says later that this has failed, so has the task. Tensors do not know it any more once the task,
// or one behind it, writes them.
using Sources = InlineList<tensor::Ticket, 4>;

// Unless it is null, or among the latest of these: one replay of a graph may have written all that
// the next one reads.
void add_source(const tensor::Ticket& source, Sources* sources);

// Holds all that the work uses until it has been handed to the device. A launch, with a plan, a
// copy of one argument into another, a batch, or without any of these a function of the user's.
struct Task {
  std::shared_ptr<const CallPlan> plan;  // null for all but a launch
  // A launch: flat inputs, then outputs, null where one is absent. A copy: source and target.
  InlineList<std::shared_ptr<tensor::TensorImpl>, 4> arguments;
  transfer::Labels labels;  // of a copy
  transfer::Permit permit;  // of a copy: what the caller's policy says
  // For a copy for an operator that is being recorded: where its time belongs.
  profiler::LabelId operator_label = 0;
  InlineList<Dependency, 4> before;
  Sources sources;  // of a queued device's
  std::unique_ptr<HostFunction> host_function;
  std::shared_ptr<Batch> batch;
  const void* site = nullptr;  // where in the user's program it was enqueued
  // The id of a launch, a function or a batch (its first one) on a queued device, which names it
  // when it tells of failures.
  std::uint64_t correlation = 0;

  [[nodiscard]] std::size_t input_count() const {
    return plan != nullptr ? plan->inputs.size() : (arguments.empty() ? 0 : 1);
  }
  [[nodiscard]] bool is_small() const {
    return plan != nullptr ? plan->is_small : batch != nullptr && batch->is_small();
  }
  // True if the input must be complete for the host, not only ordered before it on the device.
  [[nodiscard]] bool reads_on_host(std::size_t input) const {
    return plan != nullptr && plan->inputs[input].residence == ops::Residence::kHost;
  }
};

// Enters the task's uses of its tensors, which fills `before`, and `sources` unless that is null.
void enter_uses(Task& task, const tensor::Ticket& ticket, Sources* sources);
// True if nothing that it waits for is under way; does not enter it.
[[nodiscard]] bool is_ready(const Task& task);
// Hands the work to the stream, or does it on an inline device, once its outputs have their memory.
// Throws Error.
void run_task(Task& task, Queue& queue);
// Leaves the failure in what the task should have written. Where an input has failed, that is its
// failure too, and true is returned: there is nothing to run.
void fail_outputs(Task& task, const std::shared_ptr<tensor::Failure>& failure);
[[nodiscard]] bool inherit_failure(Task& task);
// Before it writes: earlier failures of what it replaces whole no longer count.
void clear_failures(Task& task);
// "[elementwise_add] x float32[2], y float32[2] at cpu, enqueued at main+0x1f (train)",
// "[launch_host_function] enqueued at ...".
[[nodiscard]] std::string describe(const Task& task);

}  // namespace loci::eager
