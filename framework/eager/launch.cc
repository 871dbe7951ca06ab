#include "framework/eager/launch.h"

#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "framework/core/abi/error.h"
#include "framework/device/timed_work.h"
#include "framework/eager/call_scope.h"
#include "framework/eager/work_recorder.h"
#include "framework/memory/node_pool.h"
#include "framework/profiler/correlation.h"
#include "framework/profiler/parts.h"
#include "framework/profiler/scope.h"

namespace loci::eager {
namespace {

using tensor::TensorImpl;

// Views of so many arguments lie on the stack.
constexpr std::size_t kFewViews = 8;
// Larger outputs have their memory before their task runs.
constexpr std::uint64_t kMostByTask = 16U << 20;

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

void fill_views(const CallPlan& plan, const TensorImpl* const* arguments, loci_view* views,
                const loci_view** pointers) {
  for (std::size_t i = 0; i < plan.views.size(); ++i) {
    views[i] = plan.views[i];
    const bool has_elements = views[i].residence != LOCI_RESIDENCE_METADATA && views[i].bytes > 0;
    if (has_elements && arguments[i] != nullptr) views[i].data = arguments[i]->data();
    pointers[i] = &views[i];
  }
}

[[noreturn]] void fail_launch(const device::Device& device, loci_error* error) {
  const Error taken = core::take_error(error);
  device.note_loss(taken);
  throw taken;
}

void launch_kernel(const CallPlan& plan, const loci_view* const* views, loci_stream* stream,
                   std::uint64_t correlation) {
  const dispatch::PreparedKernel& kernel = *plan.kernel;
  memory::Buffer workspace;
  if (kernel.workspace_bytes() > 0) {
    workspace =
        allocator_of(*plan.device).allocate(kernel.workspace_bytes(), stream, "(workspace)");
  }
  const memory::Buffer state = zeroed_state(kernel.state_bytes());
  loci_launch call{};
  call.inputs = views;
  call.outputs = views + plan.inputs.size();
  call.workspace = workspace.data();
  call.state = state.data();
  call.stream = stream;
  call.correlation = correlation;
  loci_error* error = kernel.launch(call);
  if (error != nullptr) [[unlikely]]
    fail_launch(*plan.device, error);
}

// In the operator's scope, which may be there already. The phase has the launch if it is recorded.
void launch_recorded(const CallPlan& plan, const loci_view* const* views, loci_stream* stream,
                     std::uint64_t correlation) {
  // On an inline device only who records asks for an id.
  if (correlation == 0) correlation = profiler::take_correlations(1);
  const std::uint64_t of_operator =
      profiler::records_at(profiler::Level::kDetail) ? 0 : correlation;
  std::optional<profiler::Scope> scope;
  if (CallScope* around = CallScope::of(plan)) {
    around->launch(of_operator);
  } else {
    scope.emplace(label_of(plan), of_operator);
  }
  const profiler::Scope compute(label_of(profiler::Part::kCompute), correlation,
                                profiler::Level::kDetail);
  const device::TimedWork timed(*plan.device, stream,
                                {.correlation = correlation, .name = plan.schema->name()});
  launch_kernel(plan, views, stream, correlation);
}

void launch_on(const CallPlan& plan, const loci_view* const* views, loci_stream* stream,
               std::uint64_t correlation) {
  if (profiler::records_at(profiler::Level::kOp)) [[unlikely]]
    return launch_recorded(plan, views, stream, correlation);
  launch_kernel(plan, views, stream, correlation);
}

Tensor wrap(const PlannedOutput& output, std::shared_ptr<tensor::Storage> storage) {
  return Tensor(
      memory::make_pooled<TensorImpl>(output.type.dtype, output.type.shape, std::move(storage)));
}

// Within a capture, unless that has just ended: then where a plain one lies, too.
[[gnu::noinline]] Tensor make_recorded(const CallPlan& plan, const PlannedOutput& output,
                                       Queue& queue) {
  device::Device* space = output.on_host ? nullptr : plan.space;
  if (const auto recorder = queue.recorder()) {
    return wrap(output, make_storage(*recorder, space, output.bytes, queue, output.name));
  }
  return tensor::make_tensor(output.type.dtype, output.type.shape,
                             space == nullptr ? Place() : plan.space_place, output.name,
                             queue.stream());
}

}  // namespace

Tensor make_output(const CallPlan& plan, const PlannedOutput& output, Queue& queue,
                   Provision provision) {
  if (queue.has_recorder()) [[unlikely]]
    return make_recorded(plan, output, queue);
  auto storage = memory::make_pooled<tensor::Storage>();
  storage->bytes = output.bytes;
  storage->name = output.name;
  if (output.on_host || plan.space == nullptr) {
    if (provision == Provision::kNow || output.bytes > kMostByTask) storage->provide();
  } else {
    storage->buffer = plan.allocator->allocate(output.bytes, queue.stream(), output.name);
    storage->data = storage->buffer.data();
    storage->place = plan.space_place;
    storage->device = plan.space;
    storage->home = &queue;
  }
  return Tensor(
      memory::make_pooled<TensorImpl>(output.type.dtype, output.type.shape, std::move(storage)));
}

void launch(const CallPlan& plan, const TensorImpl* const* arguments, loci_stream* stream,
            std::uint64_t correlation) {
  if (plan.kernel == nullptr) return;
  const std::size_t count = plan.views.size();
  if (count <= kFewViews) {
    loci_view views[kFewViews];
    const loci_view* pointers[kFewViews];
    fill_views(plan, arguments, views, pointers);
    launch_on(plan, pointers, stream, correlation);
    return;
  }
  std::vector<loci_view> views(count);
  std::vector<const loci_view*> pointers(count);
  fill_views(plan, arguments, views.data(), pointers.data());
  launch_on(plan, pointers.data(), stream, correlation);
}

}  // namespace loci::eager
