#include "framework/capture/launch_list.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <utility>

#include "framework/core/abi/error.h"
#include "framework/core/process_end.h"
#include "framework/device/timed_work.h"
#include "framework/dispatch/capture_refusal.h"
#include "framework/execution/operator_label.h"
#include "framework/execution/operator_log.h"
#include "framework/profiler/label_table.h"
#include "framework/profiler/parts.h"
#include "framework/profiler/scope.h"

namespace loci::capture {
namespace {

std::string text_of(const eager::CallPlan& plan) {
  std::string arguments;
  for (const eager::PlannedInput& input : plan.inputs) {
    if (input.value < 0) continue;
    arguments += fmt::format("{}{}{}", arguments.empty() ? "" : ", ", dtype_name(input.type.dtype),
                             input.type.shape.to_string());
  }
  return fmt::format("[{}] {} at {}", plan.schema->name(), arguments,
                     plan.device->place().to_string());
}

}  // namespace

template <class T>
T* LaunchList::make_array(std::size_t count) {
  T* array = std::pmr::polymorphic_allocator<T>(&arguments_).allocate(count);
  std::uninitialized_default_construct_n(array, count);
  return array;
}

std::size_t LaunchList::add(const Item& item, Origin origin, std::string text) {
  const std::size_t index = items_.size();
  try {
    items_.push_back(item);
    origins_.push_back(std::move(origin));
    parts_->parts.push_back(std::move(text));
  } catch (...) {
    items_.resize(index);
    origins_.resize(index);
    throw;
  }
  return index;
}

std::size_t LaunchList::add_step(Step::Kind kind, std::size_t index, std::string text) {
  Item item;
  item.step = static_cast<std::uint32_t>(steps_.size());
  steps_.push_back({kind, static_cast<std::uint32_t>(index)});
  return add(item, {}, std::move(text));
}

std::size_t LaunchList::add_launch(std::shared_ptr<const eager::CallPlan> plan,
                                   const tensor::TensorImpl* const* arguments, void* workspace,
                                   void* state) {
  is_small_ = is_small_ && plan->is_small;
  if (plan->kernel == nullptr) return add_step(Step::Kind::kNothing, 0, "nothing");
  const std::size_t count = plan->views.size();
  auto* views = make_array<loci_view>(count);
  auto* pointers = make_array<const loci_view*>(count);
  for (std::size_t i = 0; i < count; ++i) {
    views[i] = plan->views[i];
    const bool has_elements = views[i].residence != LOCI_RESIDENCE_METADATA && views[i].bytes > 0;
    if (has_elements && arguments[i] != nullptr) views[i].data = arguments[i]->data();
    pointers[i] = &views[i];
    view_bytes_ += views[i].bytes;
  }
  Item item;
  item.launch = plan->kernel->launch_function();
  item.prepared = plan->kernel->handle();
  item.call.inputs = pointers;
  item.call.outputs = pointers + plan->inputs.size();
  item.call.workspace = workspace;
  item.call.state = state;
  ++launches_;
  const auto inputs = static_cast<std::uint32_t>(plan->inputs.size());
  const auto outputs = static_cast<std::uint32_t>(count) - inputs;
  std::string text = text_of(*plan);
  return add(item, {.plan = std::move(plan), .inputs = inputs, .outputs = outputs, .views = views},
             std::move(text));
}

std::size_t LaunchList::add_launch(const ProgramRun& run, std::size_t instruction) {
  is_small_ = false;
  const execution::Frame::Launch launch = run.frame().launch_of(instruction);
  Item item;
  item.launch = launch.function;
  item.prepared = launch.prepared;
  item.call = launch.call;
  ++launches_;
  const execution::Instruction& planned = run.plan().instructions[instruction];
  return add(item,
             {.program = &run.plan(),
              .instruction = static_cast<std::uint32_t>(instruction),
              .inputs = static_cast<std::uint32_t>(planned.inputs.size()),
              .outputs = static_cast<std::uint32_t>(planned.outputs.size())},
             execution::describe_instruction(run.plan(), instruction));
}

std::size_t LaunchList::add_copy(const transfer::End& from, const transfer::End& to,
                                 std::uint64_t bytes, const transfer::Labels& labels,
                                 transfer::Permit permit) {
  constexpr std::uint64_t kLittle = 4096;
  is_small_ = is_small_ && bytes <= kLittle;
  copies_.push_back({from, to, bytes, labels, std::move(permit)});
  return add_step(Step::Kind::kCopy, copies_.size() - 1,
                  fmt::format("copy of '{}', {} bytes", labels.variable, bytes));
}

std::size_t LaunchList::add_host_function(std::unique_ptr<eager::HostFunction> function,
                                          const void* site) {
  is_small_ = false;
  functions_.push_back({std::move(function), site});
  return add_step(Step::Kind::kFunction, functions_.size() - 1, "host function");
}

std::string LaunchList::type(std::size_t item) const {
  const Origin& origin = origins_[item];
  if (origin.plan != nullptr) return origin.plan->schema->name();
  if (origin.program != nullptr) {
    const execution::Instruction& instruction = origin.program->instructions[origin.instruction];
    return origin.program->operators[static_cast<std::size_t>(instruction.op)].op->type();
  }
  switch (steps_[items_[item].step].kind) {
    case Step::Kind::kCopy: return "copy";
    case Step::Kind::kFunction: return "host function";
    case Step::Kind::kNothing: break;
  }
  return "nothing";
}

inline loci_error* LaunchList::call(Item& item, const Target& target, std::uint64_t correlation) {
  item.call.stream = target.stream;
  item.call.correlation = correlation;
  return item.launch(item.prepared, &item.call);
}

inline void LaunchList::run_item(Item& item, const Target& target, std::uint64_t correlation) {
  if (item.launch == nullptr) [[unlikely]]
    return run_step(item, target, correlation);
  loci_error* error = call(item, target, correlation);
  if (error != nullptr) [[unlikely]]
    fail(item, error, target.device);
}

void LaunchList::fail(const Item& item, loci_error* error, const device::Device& device) const {
  fail(static_cast<std::size_t>(&item - items_.data()), core::take_error(error), device);
}

void LaunchList::fail(std::size_t item, const Error& error, const device::Device& device) const {
  device.note_loss(error);
  throw error.within(describe(item));
}

void LaunchList::run(std::size_t first, std::size_t last, const Target& target,
                     std::uint64_t correlation) {
  if (last > noted_) [[unlikely]]
    return run_first(first, last, target, correlation);
  run_items(first, last, target, correlation);
}

void LaunchList::run_items(std::size_t first, std::size_t last, const Target& target,
                           std::uint64_t correlation) {
  if (profiler::records_at(profiler::Level::kOp)) [[unlikely]] {
    run_recorded(first, last, target, correlation);
  } else {
    for (std::size_t i = first; i < last; ++i) run_item(items_[i], target, correlation++);
  }
}

const dispatch::PreparedKernel* LaunchList::kernel_of(std::size_t item) const {
  if (items_[item].launch == nullptr) return nullptr;
  const Origin& origin = origins_[item];
  if (origin.plan != nullptr) return origin.plan->kernel.get();
  return origin.program->instructions[origin.instruction].launch()->kernel.get();
}

// The ranges of a replay come in order.
void LaunchList::run_first(std::size_t first, std::size_t last, const Target& target,
                           std::uint64_t correlation) {
  std::optional<core::NewCode> scope;
  for (std::size_t i = noted_; i < last && !scope; ++i) {
    const dispatch::PreparedKernel* kernel = kernel_of(i);
    if (kernel != nullptr && !kernel->has_run()) scope.emplace();
  }
  run_items(first, last, target, correlation);
  for (; noted_ < last; ++noted_) {
    if (const dispatch::PreparedKernel* kernel = kernel_of(noted_)) kernel->note_launched();
  }
}

void LaunchList::run_step(const Item& item, const Target& target, std::uint64_t correlation) {
  const Step& step = steps_[item.step];
  if (step.kind == Step::Kind::kCopy) {
    const Copy& copy = copies_[step.index];
    transfer::copy(copy.from, copy.to, copy.bytes, copy.labels, target.stream, /*wait=*/false,
                   copy.permit, correlation);
  } else if (step.kind == Step::Kind::kFunction) {
    const Function& function = functions_[step.index];
    target.queue.call_on_host(function.function, function.site, correlation);
  }
}

// With the operators' scopes, as other runs have them.
void LaunchList::run_recorded(std::size_t first, std::size_t last, const Target& target,
                              std::uint64_t correlation) {
  for (std::size_t i = first; i < last; ++i, ++correlation) {
    if (items_[i].launch == nullptr) {
      run_item(items_[i], target, correlation);
      continue;
    }
    loci_error* error = call_recorded(i, target, correlation);
    if (error != nullptr) fail(items_[i], error, target.device);
  }
}

loci_error* LaunchList::call_recorded(std::size_t item, const Target& target,
                                      std::uint64_t correlation) {
  const bool in_detail = profiler::records_at(profiler::Level::kDetail);
  const profiler::Scope scope(label(item), in_detail ? 0 : correlation);
  const profiler::Scope compute(label_of(profiler::Part::kCompute), correlation,
                                profiler::Level::kDetail);
  const std::string name = type(item);
  const device::TimedWork timed(target.queue.device(), target.stream,
                                {.correlation = correlation, .name = name});
  return call(items_[item], target, correlation);
}

bool LaunchList::is_free(std::size_t item) const {
  if (items_[item].launch == nullptr) return is_nothing(item);
  // A program's run finds variables anew, elsewhere.
  return origins_[item].plan != nullptr;
}

loci_error* LaunchList::launch(std::size_t item, const Target& target,
                               std::uint64_t correlation) noexcept {
  Item& each = items_[item];
  if (each.launch == nullptr) return nullptr;
  if (profiler::records_at(profiler::Level::kOp)) [[unlikely]]
    return call_recorded(item, target, correlation);
  return call(each, target, correlation);
}

void LaunchList::move(std::size_t item, std::uint32_t argument, std::uint64_t by) {
  const bool is_workspace = argument == device_graph::Address::kWorkspace;
  void*& data = is_workspace ? items_[item].call.workspace : origins_[item].views[argument].data;
  if (data != nullptr) data = reinterpret_cast<void*>(reinterpret_cast<std::uint64_t>(data) + by);
}

profiler::LabelId LaunchList::label(std::size_t item) {
  Origin& origin = origins_[item];
  if (origin.plan != nullptr) return eager::label_of(*origin.plan);
  if (origin.label == 0) {
    origin.label = profiler::LabelTable::instance().intern(execution::operator_label(
        *origin.program, origin.program->instructions[origin.instruction]));
  }
  return origin.label;
}

bool LaunchList::is_nothing(std::size_t item) const {
  const Item& each = items_[item];
  return each.launch == nullptr && steps_[each.step].kind == Step::Kind::kNothing;
}

const LaunchList::Copy* LaunchList::copy_of(const Item& item) const {
  if (item.launch != nullptr || steps_[item.step].kind != Step::Kind::kCopy) return nullptr;
  return &copies_[steps_[item.step].index];
}

std::string LaunchList::capture_refusal(std::size_t item) const {
  if (is_nothing(item)) return {};
  if (items_[item].launch != nullptr) return launch_refusal(item);
  const Copy* copy = copy_of(items_[item]);
  if (copy == nullptr) return "it is a function of the host's";
  if (copy->from.device != nullptr && copy->from.device == copy->to.device) return {};
  return "it copies between places, and memory of the host is not pinned";
}

std::string LaunchList::launch_refusal(std::size_t item) const {
  const Origin& origin = origins_[item];
  const loci_launch& call = items_[item].call;
  std::vector<bool> on_host;
  for (std::uint32_t i = 0; i < origin.inputs + origin.outputs; ++i) {
    const loci_view* view = i < origin.inputs ? call.inputs[i] : call.outputs[i - origin.inputs];
    on_host.push_back(view->data != nullptr && view->residence == LOCI_RESIDENCE_HOST);
  }
  if (origin.plan != nullptr) {
    return dispatch::capture_refusal(*origin.plan->schema, *origin.plan->kernel, on_host,
                                     origin.inputs);
  }
  const execution::Instruction& instruction = origin.program->instructions[origin.instruction];
  const ops::OpSchema& schema =
      *origin.program->operators[static_cast<std::size_t>(instruction.op)].op->schema;
  return dispatch::capture_refusal(schema, *instruction.launch()->kernel, on_host, origin.inputs);
}

void LaunchList::issue_captured(std::size_t item, const device::Device& device,
                                loci_stream* stream) const {
  const Item& each = items_[item];
  loci_error* error = nullptr;
  if (each.launch != nullptr) {
    loci_launch call = each.call;
    call.stream = stream;
    call.correlation = 0;
    call.flags |= LOCI_LAUNCH_CAPTURING;
    error = kernel_of(item)->launch(call);
  } else if (const Copy* copy = copy_of(each); copy != nullptr && copy->bytes > 0) {
    loci_copy call{};
    call.struct_size = sizeof call;
    call.source_end = LOCI_END_DEVICE;
    call.target_end = LOCI_END_DEVICE;
    call.source = copy->from.data;
    call.target = copy->to.data;
    call.row_bytes = copy->bytes;
    call.rows = 1;
    std::uint32_t blocked = 0;
    error = device.api().copy(device.handle(), &call, stream, &blocked);
  }
  if (error != nullptr) fail(each, error, device);
}

void LaunchList::visit_addresses(std::size_t first, std::size_t last,
                                 const device_graph::AddressVisitor& visit) const {
  for (std::size_t item = first; item < last; ++item) {
    const loci_launch& call = items_[item].call;
    if (items_[item].launch == nullptr) continue;
    const Origin& origin = origins_[item];
    for (std::uint32_t i = 0; i < origin.inputs + origin.outputs; ++i) {
      const loci_view* view = i < origin.inputs ? call.inputs[i] : call.outputs[i - origin.inputs];
      if (view->residence == LOCI_RESIDENCE_DEVICE) visit({item, i, view->data});
    }
    visit({item, device_graph::Address::kWorkspace, call.workspace});
  }
}

void LaunchList::note_captured(std::size_t first, std::size_t last, std::uint64_t correlation) {
  const bool is_recorded = profiler::records_at(profiler::Level::kOp);
  if (!is_recorded && copies_.empty()) [[likely]]
    return;
  for (std::size_t i = first; i < last; ++i, ++correlation) {
    if (const Copy* copy = copy_of(items_[i])) {
      transfer::note_local_copy(copy->from, copy->to, copy->bytes, copy->labels, correlation);
    } else if (is_recorded && items_[i].launch != nullptr) {
      const profiler::Scope scope(label(i), correlation);
    }
  }
}

}  // namespace loci::capture
