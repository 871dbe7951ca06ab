#include "framework/program/row_independence.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "framework/ops/batch_context.h"

namespace loci::program {
namespace {

using Extents = std::vector<std::int64_t>;
using ops::Carried;

// Goes through the operators of both programs, from the first to the last.
class RowWalk {
 public:
  RowWalk(const RowForm& form, const RowForm& other)
      : form_(form), other_(other), carries_(form.block->vars.size()) {}

  std::string run() {
    if (std::string reason = mark_inputs(); !reason.empty()) return reason;
    const std::vector<Operator>& ops = form_.block->ops;
    const std::vector<Operator>& others = other_.block->ops;
    for (std::size_t i = 0; i < ops.size() && i < others.size(); ++i) {
      if (std::string reason = visit(ops[i], others[i]); !reason.empty()) return reason;
    }
    if (ops.size() != others.size()) {
      return fmt::format("the function calls {} ops with {} rows, and {} with {}", ops.size(),
                         form_.rows, others.size(), other_.rows);
    }
    return check_outputs();
  }

 private:
  using Types = std::vector<std::vector<ops::TensorType>>;

  static Types types_of(const Block& block, const std::vector<Slot>& slots) {
    Types types(slots.size());
    for (std::size_t i = 0; i < slots.size(); ++i) {
      for (const VarId id : slots[i]) types[i].push_back(block.var(id).type);
    }
    return types;
  }

  [[nodiscard]] Carried carried(VarId id) const { return carries_[static_cast<std::size_t>(id)]; }
  [[nodiscard]] bool has_carried(VarId id) const { return carried(id) != Carried::kNothing; }

  std::string mark_inputs() {
    for (std::size_t i = 0; i < form_.inputs.size(); ++i) {
      const VarDesc& var = form_.block->var(form_.inputs[i]);
      if (!has_rows(var.type, other_.block->var(other_.inputs[i]).type)) {
        return fmt::format("the input '{}' {} does not have {} rows", var.name,
                           var.type.shape.to_string(), form_.rows);
      }
      carries_[static_cast<std::size_t>(form_.inputs[i])] = Carried::kGivenRows;
    }
    return {};
  }

  // Returns true if a value has a row for each, and is the same otherwise.
  [[nodiscard]] bool has_rows(const ops::TensorType& type, const ops::TensorType& other) const {
    if (type.shape.rank() == 0 || other.shape.rank() == 0) return false;
    if (type.shape[0] != form_.rows || other.shape[0] != other_.rows) return false;
    ops::TensorType as_other = type;
    as_other.shape.set(0, other_.rows);
    return as_other == other;
  }

  // A list that says the extents of all outputs, the number of rows being the first of them.
  [[nodiscard]] bool says_extents(const Operator& op, const Extents& given,
                                  const Extents& other) const {
    if (given.empty() || given.size() != other.size()) return false;
    if (given[0] != form_.rows || other[0] != other_.rows) return false;
    if (!std::equal(given.begin() + 1, given.end(), other.begin() + 1)) return false;
    for (std::size_t slot = 0; slot < op.outputs.size(); ++slot) {
      if (op.schema->outputs()[slot].extent != ops::Extent::kHostValues) return false;
      for (const VarId id : op.outputs[slot]) {
        const int rank = form_.block->var(id).type.shape.rank();
        if (static_cast<std::size_t>(rank) != given.size()) return false;
      }
    }
    return true;
  }

  [[nodiscard]] bool same_attributes(const Operator& op, const Operator& other) const {
    return std::equal(op.attributes.begin(), op.attributes.end(), other.attributes.begin(),
                      other.attributes.end(), [&](const auto& given, const auto& opposite) {
                        if (given == opposite) return true;
                        const auto* extents = std::get_if<Extents>(&given.second);
                        const auto* others = std::get_if<Extents>(&opposite.second);
                        return given.first == opposite.first && extents != nullptr &&
                               others != nullptr && says_extents(op, *extents, *others);
                      });
  }

  std::string visit(const Operator& op, const Operator& other) {
    if (op.schema != other.schema || op.inputs != other.inputs || op.outputs != other.outputs ||
        !same_attributes(op, other)) {
      return fmt::format(
          "[{}] '{}' is not what the function calls with {} rows instead of {}: it hangs on their "
          "number",
          op.type(), op.name, other_.rows, form_.rows);
    }
    if (op.schema->has_blocks()) {
      return fmt::format("[{}] '{}' chooses what runs, and its blocks are not looked into",
                         op.type(), op.name);
    }
    const Types inputs = types_of(*form_.block, op.inputs);
    const Types outputs = types_of(*form_.block, op.outputs);
    const VarId source = carried_by(op);
    const bool is_constant = source == kNoVar && op.attributes == other.attributes &&
                             outputs == types_of(*other_.block, other.outputs);
    return is_constant ? std::string() : mark_outputs(op, inputs, outputs, source);
  }

  // The first input that carries rows.
  [[nodiscard]] VarId carried_by(const Operator& op) const {
    for (const Slot& slot : op.inputs) {
      const auto found =
          std::find_if(slot.begin(), slot.end(), [&](VarId id) { return has_carried(id); });
      if (found != slot.end()) return *found;
    }
    return kNoVar;
  }

  // Marks the outputs of an operator that hangs on rows, or on how many there are.
  std::string mark_outputs(const Operator& op, const Types& inputs, const Types& outputs,
                           VarId source) {
    std::vector<std::vector<ops::InferArgument>> arguments(inputs.size());
    std::vector<std::vector<Carried>> carrying(inputs.size());
    for (std::size_t slot = 0; slot < inputs.size(); ++slot) {
      for (std::size_t i = 0; i < inputs[slot].size(); ++i) {
        const VarId id = op.inputs[slot][i];
        arguments[slot].push_back({inputs[slot][i], form_.block->var(id).name, {}});
        carrying[slot].push_back(carried(id));
      }
    }
    ops::InferContext types(*op.schema, std::move(arguments), op.attributes);
    types.set_outputs(outputs);
    ops::BatchContext rows(types, std::move(carrying));
    if (!makes_rows(op, source) || !ops::is_batch_independent(rows)) return refusal(op, source);
    return note_rows(op, rows, source);
  }

  std::string note_rows(const Operator& op, const ops::BatchContext& rows, VarId source) {
    const bool moves = op.schema->moves_elements() && source != kNoVar;
    const Carried made = moves ? carried(source) : Carried::kRows;
    for (std::size_t slot = 0; slot < op.outputs.size(); ++slot) {
      if (rows.is_whole(slot)) continue;
      for (const VarId id : op.outputs[slot]) {
        if (!has_rows(form_.block->var(id).type, other_.block->var(id).type)) {
          return refusal(op, source);
        }
        carries_[static_cast<std::size_t>(id)] = made;
      }
    }
    return {};
  }

  // With inputs of which none carries rows, each row may be another part of them.
  static bool makes_rows(const Operator& op, VarId source) {
    return source != kNoVar || std::all_of(op.inputs.begin(), op.inputs.end(),
                                           [](const Slot& slot) { return slot.empty(); });
  }

  [[nodiscard]] std::string refusal(const Operator& op, VarId source) const {
    if (source == kNoVar) {
      return fmt::format("[{}] '{}' hangs on the number of rows", op.type(), op.name);
    }
    return fmt::format("[{}] '{}' mixes rows: it may hang on all rows of '{}'", op.type(), op.name,
                       form_.block->var(source).name);
  }

  [[nodiscard]] std::string check_outputs() const {
    for (std::size_t i = 0; i < form_.outputs.size(); ++i) {
      if (has_carried(form_.outputs[i])) continue;
      const VarDesc& var = form_.block->var(form_.outputs[i]);
      return fmt::format("the result {}, '{}' {}, hangs on no row of the inputs", i, var.name,
                         var.type.shape.to_string());
    }
    return {};
  }

  const RowForm& form_;
  const RowForm& other_;
  std::vector<Carried> carries_;
};

}  // namespace

std::string row_dependence(const RowForm& form, const RowForm& other) {
  if (form.inputs.size() != other.inputs.size() || form.outputs.size() != other.outputs.size()) {
    return fmt::format("the function gives {} results with {} rows, and {} with {}",
                       form.outputs.size(), form.rows, other.outputs.size(), other.rows);
  }
  return RowWalk(form, other).run();
}

}  // namespace loci::program
