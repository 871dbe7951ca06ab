#include "framework/dispatch/kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "framework/core/abi/error.h"
#include "framework/core/process_end.h"
#include "framework/core/raise.h"
#include "framework/dispatch/library_call.h"
#include "framework/dispatch/new_code.h"
#include "framework/plugin/layout_table.h"

namespace loci::dispatch {
namespace {

// The layouts that prepare() chooses, by flat argument; plain at first.
struct Layouts {
  explicit Layouts(const loci_op_desc& op)
      : inputs(op.input_slots[op.input_slot_count]),
        outputs(op.output_slots[op.output_slot_count]) {}

  static_assert(LOCI_LAYOUT_PLAIN == 0);
  std::vector<std::uint32_t> inputs;
  std::vector<std::uint32_t> outputs;
};

bool has_choice(const std::vector<std::uint32_t>& layouts) {
  return std::any_of(layouts.begin(), layouts.end(),
                     [](std::uint32_t chosen) { return chosen != LOCI_LAYOUT_PLAIN; });
}

// Why it must not choose that layout for an argument; empty if it may.
std::string mistake(const device::KernelLibrary& library, std::uint32_t offered,
                    std::uint32_t chosen) {
  if (chosen == LOCI_LAYOUT_PLAIN) return {};
  if (offered != LOCI_LAYOUT_ANY) return "which is given plain";
  const plugin::Layout* layout = plugin::find_layout(chosen);
  if (layout == nullptr || layout->plugin != library.plugin->id()) {
    return "which the plugin has not interned";
  }
  return library.api.relayout == nullptr ? "but the plugin has no relayout()" : "";
}

// A name for errors of the kernel that is prepared; the text is made for them alone.
struct Title {
  const Implementation& implementation;
  const loci_op_desc& op;

  [[nodiscard]] std::string text() const {
    return fmt::format("[{}] {}", core::from_abi(op.op), implementation.name());
  }
};

void check_layouts(const device::KernelLibrary& library, const loci_arg* args,
                   const std::vector<std::uint32_t>& chosen, std::string_view kind,
                   const Title& title) {
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const std::string why = mistake(library, args[i].layout, chosen[i]);
    if (why.empty()) continue;
    core::raise(ErrorCode::kInternal,
                "{}: prepare chose layout {} for {} {}, {}; report it to the author of the plugin",
                title.text(), chosen[i], kind, i, why);
  }
}

// Destroyed with the scope.
class CreatedKernel {
 public:
  CreatedKernel(const Title& title, device::Device& device, const loci_op_desc& op)
      : library_(*title.implementation.library) {
    loci_error* error = call_library(library_, "create", [&] {
      return library_.api.create(library_.plugin->handle(), title.implementation.def,
                                 device.handle(), &op, &kernel_);
    });
    if (error != nullptr) throw core::take_error(error).within(title.text());
  }
  ~CreatedKernel() { library_.api.destroy(kernel_); }
  CreatedKernel(const CreatedKernel&) = delete;
  CreatedKernel& operator=(const CreatedKernel&) = delete;

  loci_error* prepare(const loci_op_desc& op, loci_prepared_info* info, Layouts* layouts) {
    info->struct_size = sizeof(*info);
    info->input_layouts = layouts->inputs.data();
    info->output_layouts = layouts->outputs.data();
    loci_error* error =
        call_library(library_, "prepare", [&] { return library_.api.prepare(kernel_, &op, info); });
    info->input_layouts = nullptr;
    info->output_layouts = nullptr;
    return error;
  }

 private:
  const device::KernelLibrary& library_;
  loci_kernel* kernel_ = nullptr;
};

}  // namespace

// Made for each operator of each plan, so without what formatting takes.
std::string Implementation::name() const {
  std::string text = library->plugin->id();
  text += '/';
  text += core::from_abi(def->name);
  return text;
}

std::string PreparedKernel::prepare(const Implementation& implementation, device::Device& device,
                                    const OpDesc& op) {
  const Title title{implementation, op.abi()};
  const Code code = prepared_code(*implementation.def, op);
  std::optional<core::NewCode> new_code;
  if (code.is_new) new_code.emplace();
  // One that serves launches of any extents is told the cost of none.
  const bool any_shape = (implementation.def->flags & LOCI_KERNEL_SHAPE_AGNOSTIC) != 0;
  const loci_op_desc desc = any_shape ? op.abi() : op.with_cost();
  loci_prepared_info info{};
  Layouts layouts(desc);
  loci_error* error = CreatedKernel(title, device, desc).prepare(desc, &info, &layouts);
  if (error != nullptr) {
    const Error refusal = core::take_error(error);
    if (refusal.code() != ErrorCode::kUnsupported) throw refusal.within(title.text());
    return *refusal.what() == '\0' ? "no reason given" : refusal.what();
  }
  if (info.prepared == nullptr || info.launch == nullptr) {
    core::raise(ErrorCode::kInternal,
                "{}: prepare gave no launch function; report it to the author of the plugin",
                title.text());
  }
  info_ = info;
  def_ = implementation.def;
  flops_ = desc.flops;
  library_->plugin->retain();
  device_ = &device;
  device.begin_use();
  check_layouts(*library_, op.abi().inputs, layouts.inputs, "input", title);
  check_layouts(*library_, op.abi().outputs, layouts.outputs, "output", title);
  if (has_choice(layouts.inputs)) input_layouts_ = std::move(layouts.inputs);
  if (has_choice(layouts.outputs)) output_layouts_ = std::move(layouts.outputs);
  code_ = code.id;
  has_run_ = code.has_run;
  return {};
}

loci_error* PreparedKernel::launch_first(const loci_launch& call) const {
  const core::NewCode scope;
  loci_error* error = info_.launch(info_.prepared, &call);
  note_launched();
  return error;
}

void PreparedKernel::note_launched() const {
  if (!has_run_.exchange(true, std::memory_order_relaxed)) note_code_has_run(code_);
}

std::string PreparedKernel::capture_refusal() const {
  if ((def_->flags & LOCI_KERNEL_CAPTURABLE) != 0) return {};
  const std::string_view why = core::optional_from_abi(def_->not_capturable);
  return fmt::format("its kernel {} cannot be captured: {}", Implementation{library_, def_}.name(),
                     why.empty() ? "it does not say that it can be (LOCI_KERNEL_CAPTURABLE)" : why);
}

// At the process's end what the kernel refers to may be gone already, and a device that hangs may
// still run it.
PreparedKernel::~PreparedKernel() {
  if (info_.prepared == nullptr || core::process_is_ending()) return;
  if (library_->plugin->is_abandoned()) return;
  library_->api.destroy_prepared(info_.prepared);
  library_->plugin->release();
  device_->end_use();
}

Preparation prepare_kernel(const Implementation& implementation, device::Device& device,
                           const OpDesc& op) {
  if (device.loss().is_lost()) device.require_reach();
  const auto kernel = std::make_shared<PreparedKernel>(*implementation.library);
  try {
    std::string declined = kernel->prepare(implementation, device, op);
    if (!declined.empty()) return {nullptr, std::move(declined)};
  } catch (const Error& error) {
    device.note_loss(error);  // the plugin may have loaded code into it
    throw;
  }
  return {kernel, {}};
}

}  // namespace loci::dispatch
