#include "framework/plugin/op_definition.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string_view>

#include "framework/core/abi/error.h"
#include "framework/core/quote.h"
#include "framework/plugin/load_error.h"
#include "framework/plugin/stated_text.h"
#include "framework/plugin/struct_array.h"

namespace loci::plugin {
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

// Takes over one definition; every message begins with its op.
class Taker {
 public:
  explicit Taker(const loci_op_def& def) : def_(copy_struct(&def)) { op_.def = &def; }

  OpDefinition take() {
    take_head();
    op_.inputs = take_slots(def_.inputs, def_.input_count, "input");
    op_.outputs = take_slots(def_.outputs, def_.output_count, "output");
    if (op_.outputs.empty()) refuse("it has no output; give it one");
    for (const SlotDefinition& slot : op_.inputs) check_input(slot);
    for (const SlotDefinition& slot : op_.outputs) check_output(slot);
    take_attributes();
    return std::move(op_);
  }

 private:
  template <class... Args>
  [[noreturn]] void refuse(fmt::format_string<Args...> format, Args&&... args) const {
    const std::string reason = fmt::format(format, std::forward<Args>(args)...);
    throw LoadError(
        ErrorCode::kIncompatible,
        fmt::format("its op {}: {}", core::quote(core::optional_from_abi(def_.name)), reason),
        "report it to the plugin's author, who can check it against loci/abi/ops.h");
  }

  void take_head() {
    const std::string_view name = stated_text(def_.name, "op's name");
    if (name.size() > kMostName || !is_namespaced(name)) {
      refuse(
          "that is no name for an op of a plugin; it has a namespace and a dot, such as "
          "'example.swish', in at most {} lower-case letters, digits and underscores",
          kMostName);
    }
    if (name.substr(0, name.find('.')) == "loci") refuse("the namespace 'loci' is the host's own");
    if (def_.version < 1 || def_.version > std::numeric_limits<std::int32_t>::max()) {
      refuse("its version is {}; the first one is 1", def_.version);
    }
    if (def_.infer == nullptr) refuse("it has no infer; give it one");
    op_.name = name;
    op_.version = static_cast<int>(def_.version);
    op_.not_capturable = stated_text(def_.not_capturable, "op's not_capturable");
    op_.infer = def_.infer;
    op_.gradient = def_.gradient;
  }

  template <class Named>
  void check_name(const std::vector<Named>& before, std::string_view name, const char* what,
                  std::size_t index) const {
    if (!is_word(name) || name.size() > kMostName) {
      refuse("its {} {} is named {}; take lower-case letters, digits and underscores", what, index,
             core::quote(name));
    }
    const bool taken = std::any_of(before.begin(), before.end(),
                                   [&](const Named& other) { return other.name == name; });
    if (taken) refuse("it has two {}s named '{}'", what, name);
  }

  template <class T>
  std::vector<const T*> list(const T* first, std::uint64_t count, const char* what) const {
    return list_structs(first, count,
                        fmt::format("op '{}' has a list of {}s that", op_.name, what));
  }

  std::vector<SlotDefinition> take_slots(const loci_slot_def* first, std::uint64_t count,
                                         const char* what) const {
    std::vector<SlotDefinition> slots;
    for (const loci_slot_def* entry : list(first, count, what)) {
      const loci_slot_def def = copy_struct(entry);
      const std::string_view name = stated_text(def.name, "slot's name");
      check_name(slots, name, what, slots.size());
      SlotDefinition& slot = slots.emplace_back();
      slot.name = name;
      slot.arity = def.arity;
      slot.residence = def.residence;
      slot.dtype_mask = def.dtype_mask;
      slot.updates = stated_text(def.updates, "slot's updates");
      if (slot.arity > LOCI_ARITY_VARIADIC) {
        refuse("its {} '{}' has the arity {}, which there is not", what, slot.name, slot.arity);
      }
      if (slot.residence > LOCI_RESIDENCE_METADATA) {
        refuse("its {} '{}' has the residence {}, which there is not", what, slot.name,
               slot.residence);
      }
    }
    return slots;
  }

  void check_input(const SlotDefinition& slot) const {
    if (slot.dtype_mask == 0 || (slot.dtype_mask & ~kDTypes) != 0) {
      refuse("its input '{}' takes the dtypes {:#x}; give bits of {:#x}, one at least", slot.name,
             slot.dtype_mask, kDTypes);
    }
    if (!slot.updates.empty()) refuse("its input '{}' updates; only an output does", slot.name);
  }

  void check_output(const SlotDefinition& slot) const {
    if (slot.dtype_mask != 0) {
      refuse("its output '{}' has a dtype mask; infer says its dtype", slot.name);
    }
    if (slot.residence == LOCI_RESIDENCE_METADATA) {
      refuse("its output '{}' is metadata, and outputs have data", slot.name);
    }
    const bool on_host = slot.residence == LOCI_RESIDENCE_HOST;
    if ((on_host || !slot.updates.empty()) && slot.arity != LOCI_ARITY_REQUIRED) {
      refuse("its output '{}' {} and is not required; make it so", slot.name,
             on_host ? "is on the host" : "updates an input");
    }
    if (!slot.updates.empty()) check_updates(slot, on_host);
  }

  void check_updates(const SlotDefinition& slot, bool on_host) const {
    const auto state =
        std::find_if(op_.inputs.begin(), op_.inputs.end(),
                     [&](const SlotDefinition& input) { return input.name == slot.updates; });
    if (state == op_.inputs.end()) {
      refuse("its output '{}' updates {}, which is no input", slot.name, core::quote(slot.updates));
    }
    if (on_host || state->arity != LOCI_ARITY_REQUIRED ||
        state->residence != LOCI_RESIDENCE_DEVICE) {
      refuse("its output '{}' updates '{}'; both have to be required and on the device", slot.name,
             slot.updates);
    }
    const auto others =
        std::count_if(op_.outputs.begin(), op_.outputs.end(),
                      [&](const SlotDefinition& output) { return output.updates == slot.updates; });
    if (others > 1) refuse("{} of its outputs update '{}'", others, slot.updates);
  }

  void take_attributes() {
    for (const loci_attr_def* entry : list(def_.attrs, def_.attr_count, "attribute")) {
      const loci_attr_def def = copy_struct(entry);
      const std::string_view name = stated_text(def.name, "attribute's name");
      check_name(op_.attributes, name, "attribute", op_.attributes.size());
      try {
        op_.attributes.push_back(take_attribute_rule(def));
      } catch (const Error& error) {
        refuse("its attribute '{}' {}", name, error.what());
      }
      op_.attributes.back().name = name;
    }
  }

  loci_op_def def_;
  OpDefinition op_;
};

}  // namespace

OpDefinition take_op_definition(const loci_op_def& def) { return Taker(def).take(); }

}  // namespace loci::plugin
