#include "framework/runtime/block_run.h"

#include <utility>

#include "framework/core/raise.h"
#include "framework/program/printer.h"
#include "framework/runtime/plan_compiler.h"
#include "framework/runtime/stage.h"

namespace loci::runtime {
namespace {

const PlanValue& value_of(const Plan& plan, const PlanFetch& fetch) {
  return plan.values[static_cast<std::size_t>(fetch.value)];
}

// Whether the block computes the value where the result goes.
bool is_bound(const Plan& plan, const PlanFetch& fetch) {
  const PlanValue& value = value_of(plan, fetch);
  return value.storage == StorageKind::kFetch &&
         value.slot == static_cast<std::int32_t>(fetch.position);
}

void synchronize(const Plan& plan) {
  for (device::Device* device : plan.queued_devices) {
    device->synchronize_stream(device->default_stream());
  }
}

}  // namespace

BlockRun::BlockRun(const Plan& plan, const BlockEnvironment& environment)
    : plan_(plan), environment_(environment), frame_(take_frame(plan)) {}

BlockRun::~BlockRun() {
  if (!is_running_) {
    plan_.release_frame(std::move(frame_));
    return;
  }
  try {
    synchronize(plan_);
  } catch (const Error&) {
    // The error that ended the run is the one to report.
  }
}

std::unique_ptr<Frame> BlockRun::take_frame(const Plan& plan) const {
  std::unique_ptr<Frame> frame = plan.acquire_frame();
  if (frame->bind_scope(*environment_.scope)) return frame;
  core::raise(ErrorCode::kInvalidArgument,
              "[executor] the scope changed while a loop ran; do not set variables from another "
              "thread meanwhile");
}

void BlockRun::run(const std::vector<void*>& arguments, const std::vector<BlockResult>& results) {
  is_running_ = true;
  for (std::size_t i = 0; i < plan_.arguments.size(); ++i) {
    if (plan_.arguments[i] >= 0) frame_->bind(plan_.arguments[i], arguments[i]);
  }
  run_stage(plan_, *frame_, results);
  is_running_ = false;
}

void BlockRun::run_stage(const Plan& plan, Frame& frame, const std::vector<BlockResult>& results) {
  bind_results(plan, frame, results);
  frame.run();
  copy_results(plan, frame, results);
  if (plan.rest) run_rest(plan, frame, results);
}

void BlockRun::run_rest(const Plan& plan, Frame& frame, const std::vector<BlockResult>& results) {
  const std::shared_ptr<const Plan> next = next_stage(plan, frame);
  std::unique_ptr<Frame> rest = take_frame(*next);
  for (const PlanLiveIn& live : next->live_ins) rest->bind(live.value, frame.data(live.earlier));
  try {
    run_stage(*next, *rest, results);
  } catch (const Error&) {
    try {
      synchronize(*next);
    } catch (const Error&) {
      // The first error is the one to report.
    }
    throw;
  }
  next->release_frame(std::move(rest));
}

void BlockRun::bind_results(const Plan& plan, Frame& frame,
                            const std::vector<BlockResult>& results) const {
  for (const PlanFetch& fetch : plan.fetches) {
    const ops::TensorType& wanted = plan_.results[fetch.position].type;
    const ops::TensorType& given = value_of(plan, fetch).type;
    const bool fits = wanted.dtype == DType::kNone
                          ? value_of(plan, fetch).bytes == 1
                          : given.dtype == wanted.dtype && given.shape == wanted.shape;
    if (!fits && wanted.dtype == DType::kNone) {
      core::raise(ErrorCode::kInvalidArgument,
                  "[while] the condition is {}; give one element of bool",
                  program::type_text(given));
    }
    if (!fits) {
      core::raise(ErrorCode::kInvalidArgument,
                  "[while] '{}' becomes {}, but it is {} at first; the values of a loop keep dtype "
                  "and shape",
                  plan_.results[fetch.position].name, program::type_text(given),
                  program::type_text(wanted));
    }
    if (is_bound(plan, fetch)) frame.bind(fetch.value, results[fetch.position].data);
  }
}

void BlockRun::copy_results(const Plan& plan, Frame& frame,
                            const std::vector<BlockResult>& results) {
  for (const PlanFetch& fetch : plan.fetches) {
    const PlanValue& value = value_of(plan, fetch);
    if (is_bound(plan, fetch) || value.bytes == 0) continue;
    const BlockResult& result = results[fetch.position];
    const Space to = plan.results[fetch.position].space;
    const Space stream_space = to != nullptr ? to : value.space;
    const auto reason =
        result.host_reads ? transfer::Reason::kHostRead : transfer::Reason::kPrepareData;
    transfer::copy({value.space, frame.data(fetch.value)}, {to, result.data}, value.bytes,
                   {value.name, plan.results[fetch.position].producer, result.consumer, reason},
                   stream_space == nullptr ? nullptr : stream_space->default_stream(),
                   /*wait=*/to != value.space);
  }
}

std::shared_ptr<const Plan> BlockRun::next_stage(const Plan& plan, const Frame& frame) const {
  std::shared_ptr<const Plan> found = plan.rest->find(plan, frame);
  if (found) return found;
  EarlierStage earlier;
  earlier.plan = &plan;
  for (const AwaitedValue& awaited : plan.rest->end().awaited) {
    earlier.values.emplace_back(awaited.var, Continuation::read(plan, frame, awaited));
  }
  PlanRequest request;
  request.device = environment_.device;
  request.options = environment_.options;
  request.scope = environment_.scope;
  request.earlier = &earlier;
  std::shared_ptr<const Plan> compiled = compile_plan(request, environment_.kernels);
  plan.rest->insert(plan, frame, compiled);
  return compiled;
}

}  // namespace loci::runtime
