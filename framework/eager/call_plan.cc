#include "framework/eager/call_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "framework/core/log.h"
#include "framework/core/raise.h"
#include "framework/device/device_manager.h"
#include "framework/dispatch/bound_op.h"
#include "framework/dispatch/decomposition.h"
#include "framework/eager/decomposed_call.h"
#include "framework/eager/direct_call.h"
#include "framework/eager/gradient_script.h"
#include "framework/eager/placing.h"
#include "framework/eager/queues.h"
#include "framework/profiler/collector.h"
#include "framework/profiler/label_table.h"

namespace loci::eager {
namespace {

// An inline device computes calls up to this size faster than a worker could be told of them.
constexpr std::int64_t kSmallFlops = 1 << 16;
constexpr std::int64_t kSmallBytes = 1 << 16;

std::uint32_t residence_of(const PlannedOutput& output) {
  return dispatch::abi_residence(output.on_host ? ops::Residence::kHost : ops::Residence::kDevice);
}

// "argmax.x", "concat.x[1]": of the values in one slot, which are several where it is variadic.
const char* argument_name(const ops::OpSchema& schema, const std::string& slot, ops::Arity arity,
                          std::size_t index) {
  return memory::intern(arity == ops::Arity::kVariadic
                            ? fmt::format("{}.{}[{}]", schema.name(), slot, index)
                            : fmt::format("{}.{}", schema.name(), slot));
}

// Builds one plan.
class Planner {
 public:
  Planner(CallForm form, const dispatch::PlacementRequest& request)
      : form_(std::move(form)),
        request_(request),
        context_(*form_.schema, form_.inputs, form_.attributes),
        plan_(std::make_shared<CallPlan>()) {}

  std::shared_ptr<const CallPlan> run() {
    context_.run();
    plan_->schema = form_.schema;
    add_inputs();
    add_outputs();
    bind();
    make_views();
    set_space();
    plan_->moves = moves() || plan_->asked != nullptr;
    plan_->queue = &Queues::instance().default_queue(*plan_->device);
    if (form_.schema->cost_fn()) plan_->cost = form_.schema->cost_fn()(context_);
    plan_->is_small = plan_->device->is_inline() && is_small();
    plan_->is_plain = may_be_direct(*plan_);
    plan_->is_direct = plan_->is_small && plan_->is_plain;
    plan_->attributes = std::move(form_.attributes);
    return plan_;
  }

 private:
  void add_inputs() {
    for (std::size_t slot = 0; slot < form_.inputs.size(); ++slot) {
      const ops::InputSlot& schema = form_.schema->inputs()[slot];
      for (std::size_t i = 0; i < form_.inputs[slot].size(); ++i) {
        plan_->inputs.push_back({form_.inputs[slot][i].type, schema.residence,
                                 form_.values[slot][i], static_cast<std::uint32_t>(slot),
                                 argument_name(*form_.schema, schema.name, schema.arity, i)});
      }
      if (form_.inputs[slot].empty() && schema.arity == ops::Arity::kOptional) {
        plan_->inputs.push_back({{}, schema.residence, -1, static_cast<std::uint32_t>(slot)});
      }
    }
  }

  void add_outputs() {
    const std::vector<ops::OutputSlot>& slots = form_.schema->outputs();
    for (std::size_t slot = 0; slot < slots.size(); ++slot) {
      const std::vector<ops::TensorType>& types = context_.bounds()[slot];
      for (std::size_t i = 0; i < types.size(); ++i) {
        add_output(slots[slot], slot, types[i]);
        plan_->outputs.back().name =
            argument_name(*form_.schema, slots[slot].name, slots[slot].arity, i);
      }
      if (types.empty() && slots[slot].arity == ops::Arity::kOptional) {
        plan_->outputs.push_back({.is_absent = true, .slot = static_cast<std::uint32_t>(slot)});
      }
    }
  }

  void add_output(const ops::OutputSlot& schema, std::size_t slot, const ops::TensorType& type) {
    if (!type.shape.is_static()) {
      core::raise(ErrorCode::kInvalidArgument,
                  "[{}] the shape {} of output '{}' is not known; the inputs that give it must be "
                  "there",
                  form_.schema->name(), type.shape.to_string(), schema.name);
    }
    PlannedOutput output;
    output.type = type;
    output.bytes = static_cast<std::uint64_t>(type.shape.numel()) * dtype_size(type.dtype);
    output.on_host = schema.residence == ops::Residence::kHost;
    output.slot = static_cast<std::uint32_t>(slot);
    if (!schema.updates.empty()) {
      output.updates = flat_input(schema.updates);
      plan_->changes_state = true;
    }
    if (schema.extent == ops::Extent::kBounded) {
      plan_->bounded = static_cast<std::int32_t>(plan_->outputs.size());
      count_slot_ = static_cast<std::uint32_t>(form_.schema->output_index(schema.count));
    }
    if (slot == count_slot_) plan_->count = static_cast<std::int32_t>(plan_->outputs.size());
    plan_->outputs.push_back(output);
  }

  [[nodiscard]] std::int32_t flat_input(const std::string& name) const {
    const auto slot = static_cast<std::uint32_t>(form_.schema->input_index(name));
    for (std::size_t i = 0; i < plan_->inputs.size(); ++i) {
      if (plan_->inputs[i].slot == slot) return static_cast<std::int32_t>(i);
    }
    core::raise(ErrorCode::kInvalidArgument, "[{}] input '{}' is missing; it is changed in place",
                form_.schema->name(), name);
  }

  [[nodiscard]] dispatch::OpDesc make_desc() const {
    dispatch::ArgumentSlots inputs(form_.schema->inputs().size());
    for (const PlannedInput& input : plan_->inputs) {
      if (input.value < 0) continue;
      inputs[input.slot].push_back(
          {input.type.dtype, input.type.shape, dispatch::abi_residence(input.residence)});
    }
    dispatch::ArgumentSlots outputs(form_.schema->outputs().size());
    for (const PlannedOutput& output : plan_->outputs) {
      if (output.is_absent) continue;
      outputs[output.slot].push_back({output.type.dtype, output.type.shape, residence_of(output)});
    }
    return {*form_.schema, form_.attributes, inputs, outputs};
  }

  void bind() {
    if (decompose(*request_.device)) return;
    const dispatch::OpDesc desc = make_desc();
    // Each call of a random op has an offset of its own, and would fill the cache.
    dispatch::KernelCache* cache = form_.schema->is_random() ? nullptr : &kernel_cache();
    if (falls_back_in_parts(desc, cache)) return;
    dispatch::BoundOp bound = dispatch::bind_op(desc, /*name=*/{}, request_, cache);
    plan_->device = bound.device;
    plan_->kernel = std::move(bound.binding.kernel);
    plan_->kernel_name = bound.binding.name();
    plan_->aliases = bound.binding.aliases();
    if (!bound.fell_back()) return;
    plan_->asked = request_.device;
    plan_->refusals = std::move(bound.refusals);
  }

  // The CPU stands in without a kernel of the op, but with kernels of its parts.
  bool falls_back_in_parts(const dispatch::OpDesc& desc, dispatch::KernelCache* cache) {
    if (!form_.schema->decompose_fn() || request_.is_guarded) return false;
    device::Device& host = host_device();
    if (request_.device == &host) return false;
    dispatch::Binding own = dispatch::bind_kernel(*request_.device, desc, cache);
    if (own.found() || !decompose(host)) return false;
    plan_->asked = request_.device;
    plan_->refusals = std::move(own.refusals);
    return true;
  }

  bool decompose(device::Device& device) {
    if (!form_.schema->decompose_fn()) return false;
    ops::TypeSlots inputs(form_.inputs.size());
    for (std::size_t slot = 0; slot < inputs.size(); ++slot) {
      for (const ops::InferArgument& input : form_.inputs[slot]) inputs[slot].push_back(input.type);
    }
    const auto found =
        dispatch::decompose({*form_.schema, form_.attributes, std::move(inputs), context_.bounds()},
                            device, &kernel_cache());
    if (!found) return false;
    plan_->device = &device;
    plan_->kernel_name = "none (decomposed)";
    plan_->decomposition =
        std::make_unique<const DecomposedCall>(*found, device, spaces_when_run(device));
    core::log(core::Module::kEager, core::Level::kDebug, "[{}] is decomposed at {}: {}",
              form_.schema->name(), device.place().to_string(), found->refusals);
    return true;
  }

  // The spaces of the inputs that are there, once each has been copied to where it is read.
  [[nodiscard]] std::vector<device::Device*> spaces_when_run(device::Device& device) const {
    std::vector<device::Device*> spaces;
    for (const PlannedInput& input : plan_->inputs) {
      if (input.value < 0) continue;
      device::Device* own = device.uses_host_memory() ? nullptr : &device;
      spaces.push_back(input.residence == ops::Residence::kDevice
                           ? own
                           : form_.spaces[static_cast<std::size_t>(input.value)]);
    }
    return spaces;
  }

  void make_views() {
    plan_->shapes.reserve(plan_->inputs.size() + plan_->outputs.size());
    for (const PlannedInput& input : plan_->inputs) {
      add_view(input.type, dispatch::abi_residence(input.residence), input.value >= 0);
    }
    for (const PlannedOutput& output : plan_->outputs) {
      add_view(output.type, residence_of(output), !output.is_absent);
    }
  }

  void add_view(const ops::TensorType& type, std::uint32_t residence, bool is_there) {
    const Shape& shape = plan_->shapes.emplace_back(type.shape);
    loci_view view{};
    if (is_there) {
      view.dims = shape.data();
      view.rank = shape.rank();
      view.dtype = static_cast<loci_dtype>(type.dtype);
      view.bytes = static_cast<std::uint64_t>(shape.numel()) * dtype_size(type.dtype);
      view.layout = LOCI_LAYOUT_PLAIN;
      view.residence = residence == LOCI_RESIDENCE_DEVICE && plan_->device->uses_host_memory()
                           ? dispatch::abi_residence(ops::Residence::kHost)
                           : residence;
    }
    plan_->views.push_back(view);
  }

  void set_space() {
    if (plan_->device->uses_host_memory()) {
      plan_->allocator = &memory::host_allocator();
      return;
    }
    plan_->space = plan_->device;
    plan_->space_place = plan_->device->place();
    plan_->allocator = &memory::device_allocator(*plan_->device);
  }

  // Returns true if an argument lies elsewhere than it is read.
  [[nodiscard]] bool moves() const {
    for (const PlannedInput& input : plan_->inputs) {
      if (input.value < 0) continue;
      const device::Device* space = form_.spaces[static_cast<std::size_t>(input.value)];
      if (input.residence == ops::Residence::kDevice && space != plan_->space) return true;
      if (input.residence == ops::Residence::kHost && space != nullptr) return true;
    }
    return false;
  }

  [[nodiscard]] bool is_small() const {
    if (!form_.schema->cost_fn()) {
      std::uint64_t bytes = 0;
      for (const loci_view& view : plan_->views) bytes += view.bytes;
      return bytes <= static_cast<std::uint64_t>(kSmallBytes);
    }
    return plan_->cost.flops <= kSmallFlops && plan_->cost.bytes <= kSmallBytes;
  }

  CallForm form_;
  dispatch::PlacementRequest request_;
  ops::InferContext context_;
  std::shared_ptr<CallPlan> plan_;
  std::uint32_t count_slot_ = UINT32_MAX;
};

std::string describe_arguments(const CallPlan& plan) {
  std::string text;
  for (const PlannedInput& input : plan.inputs) {
    if (input.value < 0) continue;
    text +=
        fmt::format("{}{} {}{}", text.empty() ? "" : ", ", plan.schema->inputs()[input.slot].name,
                    dtype_name(input.type.dtype), input.type.shape.to_string());
  }
  return text;
}

// All of them together, and where they are several each by itself.
std::vector<std::uint64_t> masks_of_floating_outputs(const CallPlan& plan) {
  std::vector<std::uint64_t> masks;
  std::uint64_t all = 0;
  for (std::size_t i = 0; i < plan.outputs.size() && i < 64; ++i) {
    const PlannedOutput& output = plan.outputs[i];
    if (output.is_absent || output.updates >= 0 || !is_floating(output.type.dtype)) continue;
    masks.push_back(std::uint64_t{1} << i);
    all |= masks.back();
  }
  if (masks.size() != 1) masks.push_back(all);
  return masks;
}

// The elements that a gradient reads may differ with the outputs that gradients come from: all of
// them, or one. Some refuse those that come from one, such as the statistics of a normalisation; an
// op that refuses all of them says so in backward().
CallPlan::Needs find_needs(const CallPlan& plan, std::uint64_t wanted) {
  std::set<std::int32_t> reads;
  std::set<std::int32_t> measures;
  for (const std::uint64_t given : masks_of_floating_outputs(plan)) {
    try {
      const GradientScript& script = plan.gradient(wanted, given);
      reads.insert(script.reads().begin(), script.reads().end());
      measures.insert(script.measures().begin(), script.measures().end());
    } catch (const Error&) {
      continue;
    }
  }
  CallPlan::Needs needs{wanted, {reads.begin(), reads.end()}, {}};
  std::set_difference(measures.begin(), measures.end(), reads.begin(), reads.end(),
                      std::back_inserter(needs.measures));
  return needs;
}

// They call into plugins, and end before these.
struct Kernels {
  static constexpr auto kContextSlot = core::ContextSlot::kKernels;
  Kernels() {
    device::DeviceManager::instance().watch_reopening(
        [this](const device::Device& replaced) { cache.forget(replaced); });
  }
  dispatch::KernelCache cache;
};

}  // namespace

dispatch::KernelCache& kernel_cache() { return core::in_context<Kernels>().cache; }

CallPlan::CallPlan() = default;
CallPlan::~CallPlan() = default;

const GradientScript& CallPlan::gradient(std::uint64_t wanted, std::uint64_t given) const {
  const std::lock_guard lock(mutex_);
  for (const Script& known : scripts_) {
    if (known.wanted == wanted && known.given == given) return *known.script;
  }
  scripts_.push_back({wanted, given, std::make_unique<const GradientScript>(*this, wanted, given)});
  return *scripts_.back().script;
}

const CallPlan::Needs& CallPlan::needs(std::uint64_t wanted) const {
  {
    const std::lock_guard lock(mutex_);
    for (const auto& known : needs_) {
      if (known->wanted == wanted) return *known;
    }
  }
  auto found = std::make_unique<const Needs>(find_needs(*this, wanted));
  const std::lock_guard lock(mutex_);
  needs_.push_back(std::move(found));
  return *needs_.back();
}

profiler::LabelId label_of(const CallPlan& plan) {
  if (!profiler::records_at(profiler::Level::kOp)) return 0;
  const profiler::LabelId known = plan.label_.load(std::memory_order_acquire);
  if (known != 0) return known;
  const profiler::LabelId made = profiler::LabelTable::instance().intern(
      {.kind = LOCI_SPAN_OP,
       .name = plan.schema->name(),
       .place = plan.device->place().to_string(),
       .kernel = plan.kernel_name,
       .detail = describe_arguments(plan),
       .flops = static_cast<std::uint64_t>(plan.cost.flops),
       .bytes = static_cast<std::uint64_t>(plan.cost.bytes)});
  plan.label_.store(made, std::memory_order_release);
  return made;
}

std::shared_ptr<const CallPlan> plan_call(CallForm form,
                                          const dispatch::PlacementRequest& request) {
  return Planner(std::move(form), request).run();
}

}  // namespace loci::eager
