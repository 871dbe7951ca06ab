#include "framework/planning/value_layouts.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "framework/execution/continuation.h"
#include "framework/ops/op_schema.h"
#include "framework/plugin/layout_table.h"

namespace loci::planning {
namespace {

using dispatch::ArgumentSlots;
using dispatch::ArgumentType;
using execution::Instruction;
using execution::kNoValue;
using execution::LaunchStep;
using execution::Plan;
using execution::PlanFetch;
using execution::PlanPacked;
using execution::PlanValue;
using execution::StorageKind;
using execution::ValueId;

class ValueLayouts {
 public:
  ValueLayouts(const std::vector<LayoutCandidate>& candidates, dispatch::KernelCache* kernels,
               Plan* plan)
      : candidates_(candidates), kernels_(*kernels), plan_(*plan), values_(plan->values.size()) {}

  void run() {
    find_homes();
    find_free();
    find_users();
    kernels_of_.resize(candidates_.size());
    for (std::size_t i = 0; i < candidates_.size(); ++i) settle(i);
    // Each value turns plain once at most, and has its users settled anew then.
    while (!changed_.empty()) {
      const std::size_t candidate = changed_.back();
      changed_.pop_back();
      settle(candidate);
    }
    take_all();
  }

 private:
  static constexpr std::int32_t kNoPersistable = -1;

  struct Value {
    const LayoutCandidate* user = nullptr;  // the first
    bool is_free = true;                    // nobody needs it plain
    std::int32_t writers = 0;
    std::int32_t readers = 0;
    std::int32_t persistable = kNoPersistable;  // the constant that it is, or is packed from
    std::uint32_t layout = LOCI_LAYOUT_PLAIN;
    std::vector<std::size_t> users;  // candidates, of a free one
  };

  Value& at(ValueId id) { return values_[static_cast<std::size_t>(id)]; }
  [[nodiscard]] Instruction& instruction_of(const LayoutCandidate& candidate) const {
    return plan_.instructions[candidate.instruction];
  }

  // Constants of the scope, and what they are packed into, may be read in another layout.
  void find_homes() {
    for (std::size_t i = 0; i < plan_.persistables.size(); ++i) {
      at(plan_.persistables[i].value).persistable = static_cast<std::int32_t>(i);
    }
    for (const PlanPacked& packed : plan_.packed) {
      at(packed.value).persistable = static_cast<std::int32_t>(packed.persistable);
      packed_.emplace(std::pair(packed.persistable, packed.packing.layout), packed.value);
    }
  }
  // Negative: it is no constant of the scope.
  [[nodiscard]] std::int32_t persistable_of(ValueId id) const {
    return id < 0 ? kNoPersistable : values_[static_cast<std::size_t>(id)].persistable;
  }

  void find_free() {
    auto next = candidates_.begin();
    for (std::size_t i = 0; i < plan_.instructions.size(); ++i) {
      const bool is_candidate = next != candidates_.end() && next->instruction == i;
      note_uses(plan_.instructions[i], is_candidate ? &*next : nullptr);
      if (is_candidate) ++next;
    }
    for (const PlanFetch& fetch : plan_.fetches) at(fetch.value).is_free = false;
    for (const ValueId id : plan_.live_outs) at(id).is_free = false;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      Value& value = values_[i];
      value.is_free = value.is_free && plan_.values[i].storage == StorageKind::kArena &&
                      value.writers == 1 && value.readers > 0;
    }
  }

  void note_uses(const Instruction& instruction, const LayoutCandidate* candidate) {
    for (const ValueId id : instruction.outputs) {
      if (id >= 0) ++note_use(id, candidate).writers;
    }
    for (const ValueId id : inputs_read(instruction)) {
      if (id >= 0) ++note_use(id, candidate).readers;
    }
  }

  // Those of which the shape alone counts lie as they like, and are absent here.
  static std::vector<ValueId> inputs_read(const Instruction& instruction) {
    std::vector<ValueId> inputs = instruction.inputs;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (!instruction.reads(i)) inputs[i] = kNoValue;
    }
    return inputs;
  }

  Value& note_use(ValueId id, const LayoutCandidate* candidate) {
    Value& value = at(id);
    if (value.user == nullptr) value.user = candidate;
    if (candidate == nullptr || !are_alike(*value.user, *candidate)) value.is_free = false;
    return value;
  }

  // Returns true if they understand each other's layouts.
  [[nodiscard]] bool are_alike(const LayoutCandidate& a, const LayoutCandidate& b) const {
    return a.implementations.front().library == b.implementations.front().library &&
           instruction_of(a).device == instruction_of(b).device;
  }

  void find_users() {
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      const Instruction& instruction = instruction_of(candidates_[i]);
      for (const auto& ids : {inputs_read(instruction), instruction.outputs}) {
        for (const ValueId id : ids) {
          if (id >= 0 && at(id).is_free) at(id).users.push_back(i);
        }
      }
    }
  }

  // Prepares the candidate for the layouts that its values have. Where it declines, they turn
  // plain, the second input that is laid out first: most often that lies in another way than the
  // result will.
  void settle(std::size_t candidate) {
    const Instruction& instruction = instruction_of(candidates_[candidate]);
    std::shared_ptr<const dispatch::PreparedKernel>& kernel = kernels_of_[candidate];
    if (prepare(candidates_[candidate], &kernel)) return;
    const std::vector<ValueId> inputs = inputs_read(instruction);
    if (keep_plain(inputs, /*but_first=*/true) && prepare(candidates_[candidate], &kernel)) return;
    keep_plain(inputs, /*but_first=*/false);
    keep_plain(instruction.outputs, /*but_first=*/false);
    kernel = nullptr;
  }

  void turn_plain(Value* value) {
    value->layout = LOCI_LAYOUT_PLAIN;
    if (!std::exchange(value->is_free, false)) return;
    changed_.insert(changed_.end(), value->users.begin(), value->users.end());
  }

  bool prepare(const LayoutCandidate& candidate,
               std::shared_ptr<const dispatch::PreparedKernel>* kernel) {
    const Instruction& instruction = instruction_of(candidate);
    ArgumentSlots inputs = candidate.inputs;
    ArgumentSlots outputs = candidate.outputs;
    const ops::OpSchema& schema = *candidate.op->schema;
    const bool reads = set_layouts(schema.inputs(), inputs_read(instruction), &inputs,
                                   [&](ValueId id) { return at(id).layout; });
    const bool offers = set_layouts(
        schema.outputs(), instruction.outputs, &outputs,
        [&](ValueId id) { return at(id).is_free ? LOCI_LAYOUT_ANY : LOCI_LAYOUT_PLAIN; });
    *kernel = nullptr;
    if (!reads && !offers) return true;
    const dispatch::OpDesc desc(schema, candidate.op->attributes, inputs, outputs,
                                dispatch::OpDesc::Holds::kReferences);
    *kernel = first_that_takes(candidate, desc);
    if (*kernel == nullptr) return false;
    const std::vector<std::uint32_t>& chosen = (*kernel)->output_layouts();
    for (std::size_t i = 0; i < instruction.outputs.size(); ++i) {
      if (instruction.outputs[i] < 0) continue;
      Value& output = at(instruction.outputs[i]);
      const std::uint32_t layout = chosen.empty() ? LOCI_LAYOUT_PLAIN : chosen[i];
      if (layout == LOCI_LAYOUT_PLAIN && output.layout != LOCI_LAYOUT_PLAIN) turn_plain(&output);
      if (layout == LOCI_LAYOUT_PLAIN) output.is_free = false;  // nor will it be asked again
      output.layout = layout;
    }
    return true;
  }

  // Null: none does.
  std::shared_ptr<const dispatch::PreparedKernel> first_that_takes(const LayoutCandidate& candidate,
                                                                   const dispatch::OpDesc& desc) {
    const Instruction& instruction = instruction_of(candidate);
    for (const dispatch::Implementation& implementation : candidate.implementations) {
      std::shared_ptr<const dispatch::PreparedKernel> kernel =
          kernels_.get(implementation, *instruction.device, desc).kernel;
      if (kernel == nullptr || !may_pack(kernel->input_layouts(), instruction)) continue;
      taken_[&candidate] = &implementation;
      return kernel;
    }
    return nullptr;
  }

  // True if each constant that the kernel wants packed lies where it runs: it was packed for the
  // kernel that is bound, or that one reads it at its home.
  [[nodiscard]] bool may_pack(const std::vector<std::uint32_t>& chosen,
                              const Instruction& instruction) const {
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      if (chosen[i] != LOCI_LAYOUT_PLAIN && persistable_of(instruction.inputs[i]) < 0) return false;
    }
    return true;
  }

  // Returns true if one is not plain. `ids` are flat: an optional slot without an argument has one.
  template <class SchemaSlot, class LayoutOf>
  static bool set_layouts(const std::vector<SchemaSlot>& schema, const std::vector<ValueId>& ids,
                          ArgumentSlots* slots, const LayoutOf& layout_of) {
    bool is_set = false;
    std::size_t flat = 0;
    for (std::size_t slot = 0; slot < slots->size(); ++slot) {
      for (ArgumentType& type : (*slots)[slot]) {
        const ValueId id = ids[flat++];
        if (id >= 0) type.layout = layout_of(id);
        is_set = is_set || type.layout != LOCI_LAYOUT_PLAIN;
      }
      if ((*slots)[slot].empty() && schema[slot].arity == ops::Arity::kOptional) ++flat;
    }
    return is_set;
  }

  // All of them, or all that are laid out but the first. Whether that leaves one and changes
  // another.
  bool keep_plain(const std::vector<ValueId>& ids, bool but_first) {
    bool leaves = !but_first;
    bool changes = false;
    for (const ValueId id : ids) {
      if (id < 0) continue;
      Value& value = at(id);
      const bool is_laid_out = value.layout != LOCI_LAYOUT_PLAIN;
      if (is_laid_out && !std::exchange(leaves, true)) continue;
      if (but_first && !is_laid_out) continue;
      changes = changes || is_laid_out;
      turn_plain(&value);
    }
    return changes;
  }

  void take_all() {
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      if (kernels_of_[i] == nullptr) continue;
      Instruction& instruction = instruction_of(candidates_[i]);
      LaunchStep& launch = *instruction.launch();
      bind(*taken_.at(&candidates_[i]), instruction, &launch);
      repack(candidates_[i], kernels_of_[i]->input_layouts(), &instruction);
      launch.kernel = std::move(kernels_of_[i]);
      std::vector<loci_alias>& aliases = launch.aliases;
      aliases.erase(std::remove_if(aliases.begin(), aliases.end(),
                                   [&](const loci_alias& alias) {
                                     return layout_of(instruction.inputs, alias.input) !=
                                            layout_of(instruction.outputs, alias.output);
                                   }),
                    aliases.end());
    }
    for (std::size_t i = 0; i < values_.size(); ++i) {
      if (values_[i].layout == LOCI_LAYOUT_PLAIN) continue;
      plan_.values[i].layout = values_[i].layout;
      plan_.values[i].bytes = plugin::find_layout(values_[i].layout)->bytes;
    }
    if (is_repacked_) drop_unread();
  }

  // Maybe another one than takes plain values.
  void bind(const dispatch::Implementation& implementation, const Instruction& instruction,
            LaunchStep* launch) {
    const loci_kernel_def& def = *implementation.def;
    launch->aliases.assign(def.aliases, def.aliases + def.alias_count);
    plan_.operators[static_cast<std::size_t>(instruction.op)].kernel = implementation.name();
  }

  // Constants as the kernel reads them: maybe in other layouts than the one that was bound does.
  void repack(const LayoutCandidate& candidate, const std::vector<std::uint32_t>& chosen,
              Instruction* instruction) {
    for (std::size_t i = 0; i < instruction->inputs.size(); ++i) {
      ValueId& input = instruction->inputs[i];
      if (persistable_of(input) < 0) continue;  // nobody packs it
      const std::uint32_t layout = chosen.empty() ? LOCI_LAYOUT_PLAIN : chosen[i];
      if (value_of(plan_, input).layout == layout) continue;
      is_repacked_ = true;
      const auto persistable = static_cast<std::size_t>(persistable_of(input));
      input = layout == LOCI_LAYOUT_PLAIN
                  ? plan_.persistables[persistable].value
                  : packed(persistable,
                           {taken_.at(&candidate)->library, instruction->device, layout,
                            value_of(plan_, input).name, transfer::intern(candidate.op->name)});
    }
  }

  ValueId packed(std::size_t persistable, const transfer::Packing& packing) {
    const auto [known, is_new] = packed_.try_emplace({persistable, packing.layout}, kNoValue);
    if (!is_new) return known->second;
    known->second = static_cast<ValueId>(plan_.values.size());
    PlanValue value = value_of(plan_, plan_.persistables[persistable].value);
    value.storage = StorageKind::kPacked;
    value.layout = packing.layout;
    value.bytes = plugin::find_layout(packing.layout)->bytes;
    plan_.values.push_back(value);
    plan_.packed.push_back({persistable, known->second, packing});
    return known->second;
  }

  // Nobody reads some of what was packed for the kernels that were bound.
  void drop_unread() {
    std::set<ValueId> read;
    for (const Instruction& instruction : plan_.instructions) {
      read.insert(instruction.inputs.begin(), instruction.inputs.end());
    }
    const auto is_unread = [&](const PlanPacked& packed) { return read.count(packed.value) == 0; };
    plan_.packed.erase(std::remove_if(plan_.packed.begin(), plan_.packed.end(), is_unread),
                       plan_.packed.end());
  }

  [[nodiscard]] std::uint32_t layout_of(const std::vector<ValueId>& ids, std::uint32_t flat) {
    return flat < ids.size() && ids[flat] >= 0 ? at(ids[flat]).layout : LOCI_LAYOUT_PLAIN;
  }

  const std::vector<LayoutCandidate>& candidates_;
  dispatch::KernelCache& kernels_;
  Plan& plan_;
  std::vector<Value> values_;
  std::vector<std::size_t> changed_;  // candidates of which a value turned plain
  std::vector<std::shared_ptr<const dispatch::PreparedKernel>> kernels_of_;  // null: as bound
  std::unordered_map<const LayoutCandidate*, const dispatch::Implementation*> taken_;
  std::map<std::pair<std::size_t, std::uint32_t>, ValueId> packed_;  // by persistable and layout
  bool is_repacked_ = false;
};

}  // namespace

void lay_out_values(const std::vector<LayoutCandidate>& candidates, dispatch::KernelCache* kernels,
                    Plan* plan) {
  if (!candidates.empty()) ValueLayouts(candidates, kernels, plan).run();
}

}  // namespace loci::planning
