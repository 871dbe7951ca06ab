#include "framework/dispatch/binding.h"

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <vector>

#include "framework/core/abi/error.h"
#include "framework/core/listed.h"
#include "framework/device/backend_tables.h"
#include "framework/dispatch/library_call.h"
#include "framework/plugin/plugin_manager.h"
#include "framework/plugin/stated_text.h"

namespace loci::dispatch {
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

// A message names this many dtypes, and this many kernels with why each refuses.
constexpr std::size_t kNamed = 3;

// "float16, float32", of a mask.
std::string dtypes_text(std::uint64_t mask) {
  std::vector<std::string> names;
  for (loci_dtype dtype = LOCI_DTYPE_BOOL; dtype <= LOCI_DTYPE_F64; ++dtype) {
    if ((mask & LOCI_DTYPE_BIT(dtype)) == 0) continue;
    names.emplace_back(dtype_name(static_cast<DType>(dtype)));
  }
  return names.empty() ? "none" : core::listed(names, kNamed);
}

bool takes_dtype(const Implementation& candidate, const loci_op_desc& op) {
  return (candidate.def->dtype_mask & LOCI_DTYPE_BIT(leading_dtype(op))) != 0;
}

bool has_own_layouts(const Implementation& candidate) {
  return (candidate.def->flags & LOCI_KERNEL_OWN_LAYOUTS) != 0;
}

// Says why a kernel that takes the dtype refuses the operator. Empty if the kernel accepts.
std::string refusal(const Implementation& candidate, const OpDesc& desc) {
  const device::KernelLibrary& library = *candidate.library;
  const loci_op_desc& op = desc.abi();
  if (candidate.def->op_version != op.version) {
    return fmt::format("it is for version {} of the op, and this Loci has version {}",
                       candidate.def->op_version, op.version);
  }
  if (desc.draws_from_counted_state() && (candidate.def->flags & LOCI_KERNEL_COUNTED_STATE) == 0) {
    return "it does not say that it counts the draws of a captured graph "
           "(LOCI_KERNEL_COUNTED_STATE), each replay of which would draw the same numbers";
  }
  if (library.api.supports == nullptr) return {};
  loci_reason reason{};
  const std::int32_t accepted = call_library(library, "supports", [&] {
    return library.api.supports(library.plugin->handle(), candidate.def, &op, &reason);
  });
  if (accepted != 0) return {};
  const std::string_view text = plugin::blaming(
      *library.plugin, [&] { return plugin::stated_text(reason.text, "supports's reason"); });
  return text.empty() ? "no reason given" : std::string(text);
}

// Binds one operator.
class Binder {
 public:
  Binder(device::Device& device, const OpDesc& op, KernelCache* cache)
      : device_(device), op_(op), cache_(cache), computes_(!op.writes_nothing()) {}

  Binding run() {
    const std::string_view type = core::from_abi(op_.abi().op);
    auto& plugins = plugin::PluginManager::instance();
    for (const device::KernelLibrary* library :
         device::kernel_libraries(plugins, device_.place().type())) {
      for (const loci_kernel_def* def : library->defs_of(type)) {
        if (takes({library, def})) return finish(type);
      }
    }
    return finish(type);
  }

 private:
  Binding finish(std::string_view type) {
    binding_.refusals = all_refusals(type);
    binding_.for_layouts = for_layouts();
    return std::move(binding_);
  }

  [[nodiscard]] std::vector<Implementation> for_layouts() const {
    if (!binding_.found()) return {};
    std::vector<Implementation> list;
    for (const Implementation& each : declined_) {
      if (each.library == binding_.implementation.library) list.push_back(each);
    }
    if (has_own_layouts(binding_.implementation)) list.push_back(binding_.implementation);
    return list;
  }

  // Kernels for other dtypes count where there are no others.
  [[nodiscard]] std::string all_refusals(std::string_view type) const {
    if (binding_.found() || !refusals_.empty()) return core::listed(refusals_, kNamed, "; ");
    if (other_dtypes_ == 0) {
      return fmt::format("no plugin brings a kernel of {} for {}", type, device_.place().type());
    }
    return fmt::format("none for {}; has: {}",
                       dtype_name(static_cast<DType>(leading_dtype(op_.abi()))),
                       dtypes_text(other_dtypes_));
  }

  bool takes(const Implementation& candidate) {
    if (!takes_dtype(candidate, op_.abi())) {
      other_dtypes_ |= candidate.def->dtype_mask;
      return false;
    }
    std::string why = refusal(candidate, op_);
    if (why.empty() && computes_) {
      Preparation preparation = cache_ != nullptr ? cache_->get(candidate, device_, op_)
                                                  : prepare_kernel(candidate, device_, op_);
      binding_.kernel = std::move(preparation.kernel);
      why = std::move(preparation.declined);
      if (!why.empty() && has_own_layouts(candidate)) declined_.push_back(candidate);
    }
    if (why.empty()) {
      binding_.implementation = candidate;
      return true;
    }
    refusals_.push_back(candidate.name() + ": " + why);
    return false;
  }

  device::Device& device_;
  const OpDesc& op_;
  KernelCache* cache_;
  bool computes_;
  Binding binding_;
  std::vector<Implementation> declined_;  // that have layouts of their own, and take such operators
  std::vector<std::string> refusals_;     // of kernels for the dtype
  std::uint64_t other_dtypes_ = 0;        // of those that are not
};

}  // namespace

std::string Binding::name() const { return found() ? implementation.name() : "none"; }

std::vector<loci_alias> Binding::aliases() const {
  const loci_kernel_def& def = *implementation.def;
  return {def.aliases, def.aliases + def.alias_count};
}

Binding bind_kernel(device::Device& device, const OpDesc& op, KernelCache* cache) {
  return Binder(device, op, cache).run();
}

}  // namespace loci::dispatch
