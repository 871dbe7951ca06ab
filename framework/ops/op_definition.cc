#include "framework/ops/op_definition.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

#include "framework/core/abi/error.h"
#include "framework/core/quote.h"
#include "framework/ops/plugin_op.h"
#include "framework/plugin/load_error.h"
#include "framework/plugin/stated_text.h"
#include "framework/plugin/struct_array.h"

namespace loci::ops {
namespace {

constexpr std::size_t kMostName = 128;
constexpr std::uint64_t kDTypes =
    LOCI_DTYPE_BIT(LOCI_DTYPE_F64 + 1) - LOCI_DTYPE_BIT(LOCI_DTYPE_BOOL);

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }

// A lower-case letter, then such letters, digits and underscores.
bool is_word(std::string_view text) {
  return !text.empty() && is_lower(text.front()) &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return is_lower(c) || (c >= '0' && c <= '9') || c == '_'; });
}

bool is_namespaced(std::string_view name) {
  for (int parts = 1;; ++parts) {
    const std::size_t dot = name.find('.');
    if (!is_word(name.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return parts > 1;
    name.remove_prefix(dot + 1);
  }
}

Arity arity_of(std::uint32_t arity) {
  switch (arity) {
    case LOCI_ARITY_OPTIONAL: return Arity::kOptional;
    case LOCI_ARITY_VARIADIC: return Arity::kVariadic;
    default: return Arity::kRequired;
  }
}

Residence residence_of(std::uint32_t residence) {
  switch (residence) {
    case LOCI_RESIDENCE_HOST: return Residence::kHost;
    case LOCI_RESIDENCE_METADATA: return Residence::kMetadata;
    default: return Residence::kDevice;
  }
}

DTypeSet dtypes_of(std::uint64_t mask) {
  DTypeSet dtypes;
  for (loci_dtype dtype = LOCI_DTYPE_BOOL; dtype <= LOCI_DTYPE_F64; ++dtype) {
    if ((mask & LOCI_DTYPE_BIT(dtype)) == 0) continue;
    dtypes = dtypes | DTypeSet{static_cast<DType>(dtype)};
  }
  return dtypes;
}

// Takes over one definition; every message begins with its op.
class Taker {
 public:
  Taker(plugin::Plugin& plugin, const loci_op_def& def)
      : def_(plugin::copy_struct(&def)), op_{&plugin, &def, def_, checked_name()} {}

  OpSchema take() {
    OpSchema schema(op_.name);
    take_head(&schema);
    take_inputs(&schema);
    take_outputs(&schema);
    for (const OutputSlot& output : schema.outputs()) check_output(schema, output);
    take_attributes(&schema);
    if ((def_.flags & LOCI_OP_RANDOM) != 0) take_randomness(&schema);
    take_functions(&schema);
    return schema;
  }

 private:
  template <class... Args>
  [[noreturn]] void refuse(fmt::format_string<Args...> format, Args&&... args) const {
    const std::string reason = fmt::format(format, std::forward<Args>(args)...);
    throw plugin::LoadError(
        ErrorCode::kIncompatible,
        fmt::format("its op {}: {}", core::quote(core::optional_from_abi(def_.name)), reason),
        "report it to the plugin's author, who can check it against loci/abi/ops.h");
  }

  std::string checked_name() const {
    const std::string_view name = plugin::stated_text(def_.name, "op's name");
    if (name.size() > kMostName || !is_namespaced(name)) {
      refuse(
          "that is no name for an op of a plugin; it has a namespace and a dot, such as "
          "'example.swish', in at most {} lower-case letters, digits and underscores",
          kMostName);
    }
    if (name.substr(0, name.find('.')) == "loci") refuse("the namespace 'loci' is the host's own");
    return std::string(name);
  }

  void take_head(OpSchema* schema) const {
    if (def_.version < 1 || def_.version > std::numeric_limits<std::int32_t>::max()) {
      refuse("its version is {}; the first one is 1", def_.version);
    }
    if (def_.infer == nullptr) refuse("it has no infer; give it one");
    if ((def_.flags & ~std::uint64_t{LOCI_OP_RANDOM}) != 0) {
      refuse("it has the unknown flags {:#x}", def_.flags);
    }
    schema->version(static_cast<int>(def_.version)).plugin(op_.plugin->id());
    const std::string_view reason = plugin::stated_text(def_.not_capturable, "op's not_capturable");
    if (!reason.empty()) schema->not_capturable(std::string(reason));
    schema->meaning(std::string(plugin::stated_text(def_.meaning, "op's meaning")));
  }

  template <class Named>
  std::string checked_name(const std::vector<Named>& before, loci_str stated,
                           const char* what) const {
    const std::string_view name =
        plugin::stated_text(stated, *what == 'a' ? "attribute's name" : "slot's name");
    if (!is_word(name) || name.size() > kMostName) {
      refuse("its {} {} is named {}; take lower-case letters, digits and underscores", what,
             before.size(), core::quote(name));
    }
    const bool taken = std::any_of(before.begin(), before.end(),
                                   [&](const Named& other) { return other.name == name; });
    if (taken) refuse("it has two {}s named '{}'", what, name);
    return std::string(name);
  }

  template <class T>
  std::vector<const T*> list(const T* first, std::uint64_t count, const char* what) const {
    return plugin::list_structs(first, count,
                                fmt::format("op '{}' has a list of {}s that", op_.name, what));
  }

  void check_slot(const loci_slot_def& def, const std::string& name, const char* what) const {
    if (def.arity > LOCI_ARITY_VARIADIC) {
      refuse("its {} '{}' has the arity {}, which there is not", what, name, def.arity);
    }
    if (def.residence > LOCI_RESIDENCE_METADATA) {
      refuse("its {} '{}' has the residence {}, which there is not", what, name, def.residence);
    }
    const std::uint32_t flags = *what == 'i' ? LOCI_SLOT_GIVES_EXTENTS : 0;
    if ((def.flags & ~flags) != 0) {
      refuse("its {} '{}' has the unknown flags {:#x}", what, name, def.flags);
    }
  }

  void take_inputs(OpSchema* schema) const {
    for (const loci_slot_def* entry : list(def_.inputs, def_.input_count, "input")) {
      const loci_slot_def def = plugin::copy_struct(entry);
      const std::string name = checked_name(schema->inputs(), def.name, "input");
      check_slot(def, name, "input");
      check_input(def, name);
      schema->add_input({.name = name,
                         .dtypes = dtypes_of(def.dtype_mask),
                         .arity = arity_of(def.arity),
                         .residence = residence_of(def.residence),
                         .gives_extents = (def.flags & LOCI_SLOT_GIVES_EXTENTS) != 0});
    }
  }

  void check_input(const loci_slot_def& def, const std::string& name) const {
    if (def.dtype_mask == 0 || (def.dtype_mask & ~kDTypes) != 0) {
      refuse("its input '{}' takes the dtypes {:#x}; give bits of {:#x}, one at least", name,
             def.dtype_mask, kDTypes);
    }
    if (!plugin::stated_text(def.updates, "slot's updates").empty()) {
      refuse("its input '{}' updates; only an output does", name);
    }
    if (!plugin::stated_text(def.count, "slot's count").empty()) {
      refuse("its input '{}' has a count; only an output does", name);
    }
    if ((def.flags & LOCI_SLOT_GIVES_EXTENTS) == 0) return;
    if (def.arity != LOCI_ARITY_OPTIONAL || def.residence != LOCI_RESIDENCE_HOST ||
        dtypes_of(def.dtype_mask).bits() != kIndices.bits()) {
      refuse("its input '{}' gives extents; make it optional, on the host, int32 and int64", name);
    }
  }

  void take_outputs(OpSchema* schema) const {
    for (const loci_slot_def* entry : list(def_.outputs, def_.output_count, "output")) {
      const loci_slot_def def = plugin::copy_struct(entry);
      OutputSlot slot;
      slot.name = checked_name(schema->outputs(), def.name, "output");
      check_slot(def, slot.name, "output");
      if (def.dtype_mask != 0) {
        refuse("its output '{}' has a dtype mask; infer says its dtype", slot.name);
      }
      slot.arity = arity_of(def.arity);
      slot.residence = residence_of(def.residence);
      slot.updates = plugin::stated_text(def.updates, "slot's updates");
      slot.count = plugin::stated_text(def.count, "slot's count");
      if (!slot.updates.empty()) slot.dtype = DTypeRule::as(slot.updates);
      if (!slot.count.empty()) slot.extent = Extent::kBounded;
      schema->add_output(std::move(slot));
    }
    if (schema->outputs().empty()) refuse("it has no output; give it one");
  }

  void check_output(const OpSchema& schema, const OutputSlot& output) const {
    if (output.residence == Residence::kMetadata) {
      refuse("its output '{}' is metadata, and outputs have data", output.name);
    }
    const bool on_host = output.residence == Residence::kHost;
    if ((on_host || !output.updates.empty()) && output.arity != Arity::kRequired) {
      refuse("its output '{}' {} and is not required; make it so", output.name,
             on_host ? "is on the host" : "updates an input");
    }
    if (!output.updates.empty()) check_updates(schema, output);
    if (!output.count.empty()) check_count(schema, output);
  }

  void check_updates(const OpSchema& schema, const OutputSlot& output) const {
    const int index = schema.input_index(output.updates);
    if (index < 0) {
      refuse("its output '{}' updates {}, which is no input", output.name,
             core::quote(output.updates));
    }
    const InputSlot& state = schema.inputs()[static_cast<std::size_t>(index)];
    if (output.residence == Residence::kHost || state.arity != Arity::kRequired ||
        state.residence != Residence::kDevice) {
      refuse("its output '{}' updates '{}'; both have to be required and on the device",
             output.name, output.updates);
    }
    const auto others =
        std::count_if(schema.outputs().begin(), schema.outputs().end(),
                      [&](const OutputSlot& other) { return other.updates == output.updates; });
    if (others > 1) refuse("{} of its outputs update '{}'", others, output.updates);
  }

  void check_count(const OpSchema& schema, const OutputSlot& output) const {
    const int index = schema.output_index(output.count);
    if (index < 0) {
      refuse("its output '{}' has the count {}, which is no output", output.name,
             core::quote(output.count));
    }
    const auto is_plain = [](const OutputSlot& slot) {
      return slot.arity == Arity::kRequired && slot.residence == Residence::kDevice &&
             slot.updates.empty();
    };
    const OutputSlot& count = schema.outputs()[static_cast<std::size_t>(index)];
    if (!is_plain(output) || !is_plain(count) || !count.count.empty()) {
      refuse(
          "its output '{}' has the count '{}'; both have to be new values, required and on the "
          "device",
          output.name, output.count);
    }
    const auto bounded =
        std::count_if(schema.outputs().begin(), schema.outputs().end(),
                      [](const OutputSlot& other) { return !other.count.empty(); });
    if (bounded > 1) refuse("{} of its outputs have a count; one may", bounded);
  }

  void take_attributes(OpSchema* schema) const {
    for (const loci_attr_def* entry : list(def_.attrs, def_.attr_count, "attribute")) {
      const loci_attr_def def = plugin::copy_struct(entry);
      const std::string name = checked_name(schema->attributes(), def.name, "attribute");
      AttributeSpec spec;
      try {
        spec = take_attribute_spec(def);
      } catch (const Error& error) {
        refuse("its attribute '{}' {}", name, error.what());
      }
      spec.name = name;
      schema->add_attribute(std::move(spec));
    }
  }

  void take_randomness(OpSchema* schema) const {
    const int index = schema->input_index("state");
    const AttributeSpec* offset = schema->find_attribute("offset");
    const InputSlot* state =
        index < 0 ? nullptr : &schema->inputs()[static_cast<std::size_t>(index)];
    if (state == nullptr || state->arity != Arity::kRequired ||
        state->residence != Residence::kDevice ||
        state->dtypes.bits() != DTypeSet{DType::kUInt64}.bits()) {
      refuse("it draws random numbers; give it the required input 'state', uint64 on the device");
    }
    if (offset == nullptr || offset->required ||
        !std::holds_alternative<std::int64_t>(offset->default_value)) {
      refuse("it draws random numbers; give it the attribute 'offset', an integer with a default");
    }
    const bool updates =
        std::any_of(schema->outputs().begin(), schema->outputs().end(),
                    [](const OutputSlot& output) { return output.updates == "state"; });
    if (updates) refuse("it updates the random state, which a run advances by itself");
    schema->is_given_random_state();
  }

  void take_functions(OpSchema* schema) const {
    schema->infer(plugin_inference(op_));
    if (def_.gradient != nullptr) schema->gradient(plugin_gradient(op_));
    if (def_.cost != nullptr) schema->cost(plugin_cost(op_));
    if (def_.upgrade != nullptr) schema->upgrade(plugin_upgrade(op_));
    if (def_.decompose == nullptr) return;
    if (!schema->only_computes()) {
      refuse(
          "it has a decomposition, and it updates, has a count, has outputs on the host or draws "
          "random numbers");
    }
    schema->decompose(plugin_decomposition(op_));
  }

  loci_op_def def_;
  PluginOp op_;
};

}  // namespace

OpSchema take_op_definition(plugin::Plugin& plugin, const loci_op_def& def) {
  return Taker(plugin, def).take();
}

}  // namespace loci::ops
