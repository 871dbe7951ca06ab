#include "framework/dispatch/kernel.h"

#include <fmt/format.h>

#include <vector>

#include "framework/core/process_end.h"
#include "framework/core/raise.h"
#include "framework/dispatch/library_call.h"
#include "framework/dispatch/new_code.h"
#include "framework/plugin/abi_error.h"

namespace loci::dispatch {
namespace {

// Destroyed with the scope.
class CreatedKernel {
 public:
  CreatedKernel(const Implementation& implementation, device::Device& device, const OpDesc& op,
                const std::string& context)
      : library_(*implementation.library) {
    plugin::check(call_library(library_, "create",
                               [&] {
                                 return library_.api.create(library_.plugin->handle(),
                                                            implementation.def, device.handle(),
                                                            &op.abi(), &kernel_);
                               }),
                  context);
  }
  ~CreatedKernel() { library_.api.destroy(kernel_); }
  CreatedKernel(const CreatedKernel&) = delete;
  CreatedKernel& operator=(const CreatedKernel&) = delete;

  loci_error* prepare(const OpDesc& op, loci_prepared_info* info) {
    std::vector<std::uint32_t> inputs(op.abi().input_slots[op.abi().input_slot_count]);
    std::vector<std::uint32_t> outputs(op.abi().output_slots[op.abi().output_slot_count]);
    info->struct_size = sizeof(*info);
    info->input_layouts = inputs.data();
    info->output_layouts = outputs.data();
    loci_error* error = call_library(
        library_, "prepare", [&] { return library_.api.prepare(kernel_, &op.abi(), info); });
    info->input_layouts = nullptr;
    info->output_layouts = nullptr;
    return error;
  }

 private:
  const plugin::KernelLibrary& library_;
  loci_kernel* kernel_ = nullptr;
};

}  // namespace

std::string Implementation::name() const {
  return fmt::format("{}/{}", library->plugin->id(), plugin::from_abi(def->name));
}

std::string PreparedKernel::prepare(const Implementation& implementation, device::Device& device,
                                    const OpDesc& op) {
  const std::string context =
      fmt::format("[{}] {}", plugin::from_abi(op.abi().op), implementation.name());
  loci_prepared_info info{};
  loci_error* error = CreatedKernel(implementation, device, op, context).prepare(op, &info);
  if (error != nullptr) {
    const Error refusal = plugin::take_error(error);
    if (refusal.code() != ErrorCode::kUnsupported) throw refusal.within(context);
    return *refusal.what() == '\0' ? "no reason given" : refusal.what();
  }
  if (info.prepared == nullptr || info.launch == nullptr) {
    core::raise(ErrorCode::kInternal,
                "{}: prepare gave no launch function; report it to the author of the plugin",
                context);
  }
  info_ = info;
  library_->plugin->retain();
  if (is_new_code(*implementation.def, op)) core::note_new_code();
  return {};
}

// At the process's end what the kernel refers to may be gone already.
PreparedKernel::~PreparedKernel() {
  if (info_.prepared == nullptr || core::process_is_ending()) return;
  library_->api.destroy_prepared(info_.prepared);
  library_->plugin->release();
}

Preparation prepare_kernel(const Implementation& implementation, device::Device& device,
                           const OpDesc& op) {
  const auto kernel = std::make_shared<PreparedKernel>(*implementation.library);
  std::string declined = kernel->prepare(implementation, device, op);
  if (!declined.empty()) return {nullptr, std::move(declined)};
  return {kernel, {}};
}

}  // namespace loci::dispatch
