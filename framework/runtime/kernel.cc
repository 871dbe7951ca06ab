#include "framework/runtime/kernel.h"

#include <fmt/format.h>

#include <vector>

#include "framework/core/process_end.h"
#include "framework/core/raise.h"
#include "framework/plugin/abi_error.h"
#include "framework/plugin/foreign_call.h"
#include "framework/plugin/plugin_manager.h"
#include "framework/plugin/stated_text.h"
#include "framework/runtime/new_code.h"

namespace loci::runtime {
namespace {

// The dtype that a kernel's mask is about.
loci_dtype leading_dtype(const loci_op_desc& op) {
  for (std::uint32_t i = 0; i < op.input_slots[op.input_slot_count]; ++i) {
    const loci_arg& input = op.inputs[i];
    if (input.dtype != LOCI_DTYPE_NONE && input.residence != LOCI_RESIDENCE_HOST) {
      return input.dtype;
    }
  }
  return op.output_slots[op.output_slot_count] > 0 ? op.outputs[0].dtype : LOCI_DTYPE_NONE;
}

std::string kernel_name(const plugin::KernelLibrary& library, const loci_kernel_def& def) {
  return fmt::format("{}/{}", library.plugin->id(), plugin::from_abi(def.name));
}

// Throws Error with the plugin's id for an exception that it lets out.
template <class Function>
auto call_library(const plugin::KernelLibrary& library, std::string_view name,
                  Function&& function) {
  return plugin::blaming(*library.plugin, [&] { return plugin::call_plugin(name, function); });
}

// Empty if the kernel accepts.
std::string refusal(const plugin::KernelLibrary& library, const loci_kernel_def& def,
                    const loci_op_desc& op) {
  const loci_dtype dtype = leading_dtype(op);
  if ((def.dtype_mask & LOCI_DTYPE_BIT(dtype)) == 0) {
    return fmt::format("no {}", dtype_name(static_cast<DType>(dtype)));
  }
  if (library.api.supports == nullptr) return {};
  loci_reason reason{};
  const std::int32_t accepted = call_library(library, "supports", [&] {
    return library.api.supports(library.plugin->handle(), &def, &op, &reason);
  });
  if (accepted != 0) return {};
  const std::string_view text = plugin::blaming(
      *library.plugin, [&] { return plugin::stated_text(reason.text, "supports's reason"); });
  return text.empty() ? "no reason given" : std::string(text);
}

}  // namespace

std::string KernelChoice::name() const {
  return found() ? kernel_name(*library, *def) : std::string("none");
}

KernelChoice choose_kernel(const device::Device& device, const OpDesc& op) {
  KernelChoice choice;
  const std::string_view type = plugin::from_abi(op.abi().op);
  auto& plugins = plugin::PluginManager::instance();
  for (const plugin::KernelLibrary* library : plugins.kernel_libraries(device.place().type())) {
    for (const loci_kernel_def* def : library->defs) {
      if (plugin::from_abi(def->op) != type) continue;
      const std::string why = refusal(*library, *def, op.abi());
      if (why.empty()) {
        choice.library = library;
        choice.def = def;
        return choice;
      }
      if (!choice.refusals.empty()) choice.refusals += "; ";
      choice.refusals += kernel_name(*library, *def) + ": " + why;
    }
  }
  if (choice.refusals.empty()) {
    choice.refusals =
        fmt::format("no plugin brings a kernel of {} for {}", type, device.place().type());
  }
  return choice;
}

PreparedKernel::PreparedKernel(const KernelChoice& choice, device::Device& device, const OpDesc& op)
    : library_(choice.library) {
  const std::string context = fmt::format("[{}] {}", plugin::from_abi(op.abi().op), choice.name());
  const loci_kernels_api& api = library_->api;
  loci_kernel* kernel = nullptr;
  plugin::check(call_library(*library_, "create",
                             [&] {
                               return api.create(library_->plugin->handle(), choice.def,
                                                 device.handle(), &op.abi(), &kernel);
                             }),
                context);
  std::vector<std::uint32_t> input_layouts(op.abi().input_slots[op.abi().input_slot_count]);
  std::vector<std::uint32_t> output_layouts(op.abi().output_slots[op.abi().output_slot_count]);
  info_.struct_size = sizeof(info_);
  info_.input_layouts = input_layouts.data();
  info_.output_layouts = output_layouts.data();
  loci_error* error = nullptr;
  try {
    error =
        call_library(*library_, "prepare", [&] { return api.prepare(kernel, &op.abi(), &info_); });
  } catch (...) {
    api.destroy(kernel);
    throw;
  }
  api.destroy(kernel);
  info_.input_layouts = nullptr;
  info_.output_layouts = nullptr;
  plugin::check(error, context);
  if (info_.prepared == nullptr || info_.launch == nullptr) {
    core::raise(ErrorCode::kInternal,
                "{}: prepare gave no launch function; report it to the "
                "author of the plugin",
                context);
  }
  library_->plugin->retain();
  if (is_new_code(*choice.def, op)) core::note_new_code();
}

// At the process's end what the kernel refers to may be gone already.
PreparedKernel::~PreparedKernel() {
  if (core::process_is_ending()) return;
  library_->api.destroy_prepared(info_.prepared);
  library_->plugin->release();
}

}  // namespace loci::runtime
