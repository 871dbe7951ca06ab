#include "tools/conformance/verify/launch/shared_preparations.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <string_view>
#include <vector>

#include "tools/conformance/verify/launch/lent_op.h"

namespace loci::verify {
namespace {

std::string_view text_of(loci_str text) {
  return text.size == 0 ? std::string_view() : std::string_view(text.data, text.size);
}

std::string items_text(const loci_attr& attr) {
  std::string text;
  for (std::uint64_t i = 0; i < attr.item_count; ++i) {
    if (attr.kind == LOCI_ATTR_INTS) {
      text += fmt::format("{},", static_cast<const std::int64_t*>(attr.items)[i]);
    } else if (attr.kind == LOCI_ATTR_FLOATS) {
      text += fmt::format("{},", static_cast<const double*>(attr.items)[i]);
    } else {
      text += fmt::format("'{}',", text_of(static_cast<const loci_str*>(attr.items)[i]));
    }
  }
  return text;
}

// False if a layout is not plain, which may depend on the extents.
bool add_arguments(const loci_arg* args, const std::uint32_t* slots, std::uint32_t slot_count,
                   std::string* key) {
  for (std::uint32_t slot = 0; slot < slot_count; ++slot) {
    *key += ';';
    for (std::uint32_t i = slots[slot]; i < slots[slot + 1]; ++i) {
      if (args[i].layout != LOCI_LAYOUT_PLAIN) return false;
      *key += fmt::format("{}/{}/{},", args[i].dtype, args[i].rank, args[i].residence);
    }
  }
  return true;
}

// Equal for operators that one prepared kernel has to serve; empty if there is none but this.
std::string key_of(const loci_kernel_def& def, const loci_op_desc& op) {
  std::string key = fmt::format("{}", static_cast<const void*>(&def));
  for (std::uint64_t i = 0; i < op.attr_count; ++i) {
    const loci_attr& attr = op.attrs[i];
    key += fmt::format(";{}={},{},{},{}", text_of(attr.name), attr.integer, attr.real,
                       text_of(attr.text), attr.item_count == 0 ? "" : items_text(attr));
  }
  const bool plain = add_arguments(op.inputs, op.input_slots, op.input_slot_count, &key) &&
                     add_arguments(op.outputs, op.output_slots, op.output_slot_count, &key);
  return plain ? key : "";
}

std::string shape_of_first(const loci_op_desc& op) {
  const bool has_inputs = op.input_slots[op.input_slot_count] > 0;
  const loci_arg& arg = has_inputs ? op.inputs[0] : op.outputs[0];
  const std::vector<std::int64_t> dims(arg.dims, arg.dims + (arg.dims == nullptr ? 0 : arg.rank));
  return fmt::format("[{}]", fmt::join(dims, ", "));
}

std::unique_ptr<SharedPreparation> prepare_again(const loci_kernels_api& api,
                                                 const loci_host_api& host, loci_kernel* kernel,
                                                 const loci_op_desc& op) {
  const LentOp lent(op);
  std::vector<std::uint32_t> inputs(op.input_slots[op.input_slot_count], LOCI_LAYOUT_PLAIN);
  std::vector<std::uint32_t> outputs(op.output_slots[op.output_slot_count], LOCI_LAYOUT_PLAIN);
  loci_prepared_info info{};
  info.struct_size = sizeof info;
  info.input_layouts = inputs.data();
  info.output_layouts = outputs.data();
  loci_error* error = api.prepare(kernel, lent.get(), &info);
  if (error != nullptr) {
    host.error_release(error);
    return nullptr;
  }
  return std::make_unique<SharedPreparation>(SharedPreparation{
      {info.prepared, info.launch, info.workspace_bytes, info.state_bytes}, shape_of_first(op)});
}

}  // namespace

const SharedPreparation* SharedPreparations::find_or_prepare(const loci_kernels_api& api,
                                                             const loci_host_api& host,
                                                             const loci_kernel_def& def,
                                                             loci_kernel* kernel,
                                                             const loci_op_desc& op) {
  if ((def.flags & LOCI_KERNEL_SHAPE_AGNOSTIC) == 0) return nullptr;
  const std::string key = key_of(def, op);
  if (key.empty()) return nullptr;
  const std::lock_guard lock(mutex_);
  const auto known = first_.find(key);
  if (known != first_.end()) return known->second.get();
  first_.emplace(key, prepare_again(api, host, kernel, op));
  return nullptr;
}

}  // namespace loci::verify
