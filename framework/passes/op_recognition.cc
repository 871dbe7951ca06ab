#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

#include "framework/ops/op_registry.h"
#include "framework/passes/pass.h"
#include "framework/passes/recognisers.h"
#include "framework/program/builder.h"

namespace loci::passes {
namespace {

using program::Block;
using program::Operator;
using program::Slot;
using program::VarId;

// The most operators that one operator may stand for.
constexpr std::size_t kMostMembers = 64;

constexpr std::array kRecognisers = {&recognise_gelu,          &recognise_hard_sigmoid,
                                     &recognise_hard_swish,    &recognise_softmax,
                                     &recognise_log_softmax,   &recognise_layer_norm,
                                     &recognise_row_parameter, &recognise_attention};

// Walks over the operators once; what a recogniser reads, and what it says, is bounded.
class Recognition {
 public:
  Recognition(Block& block, const PassContext& context)
      : block_(block),
        context_(context),
        expressions_(block, context.sizes),
        reads_(block.vars.size(), 0),
        writes_(block.vars.size()),
        is_gone_(block.ops.size(), false) {
    for (std::size_t i = 0; i < block.ops.size(); ++i) {
      count_reads(block.ops[i], 1);
      for (const Slot& slot : block.ops[i].outputs) {
        for (const VarId id : slot) writes_[at(id)].push_back(i);
      }
    }
  }

  void run() {
    if (!context_.has_kernel) return;
    for (std::size_t i = 0; i < block_.ops.size(); ++i) {
      for (const Recogniser recognise : kRecognisers) {
        const std::optional<Recognised> found = recognise(block_.ops[i], expressions_);
        if (found && replace(i, *found)) break;
      }
    }
    remove_operators(block_, is_gone_);
  }

 private:
  static std::size_t at(VarId id) { return static_cast<std::size_t>(id); }
  // Variables that the pass adds are nobody's wish.
  [[nodiscard]] bool is_kept(VarId id) const {
    return at(id) < context_.kept.size() && context_.kept[at(id)];
  }

  void count_reads(const Operator& op, int times) {
    for (const Slot& slot : op.inputs) {
      for (const VarId id : slot) reads_[at(id)] += times;
    }
  }

  bool replace(std::size_t root, const Recognised& found) {
    const std::vector<std::size_t> members = members_before(root, found);
    if (members.empty() || !reads_tensors(found)) return false;
    if (!stands_alone(root, members) || changes(root, members, found)) return false;
    const Operator& op = block_.ops[root];
    const DType dtype = expressions_.type(found.inputs.front().second).dtype;
    if (!context_.has_kernel(found.type, dtype, op.guard)) return false;
    if (!found.pays_on_host && (!context_.is_host || context_.is_host(op.guard))) return false;
    Operator made = made_of(op, found);
    for (const std::size_t member : members) made.name = block_.ops[member].name + "+" + made.name;
    if (!give_outputs(op, &made)) return false;
    put(root, members, std::move(made));
    return true;
  }

  // Returns what computes the root's operands from the inputs, constants apart, in reverse order.
  // Nothing if that is too much.
  std::vector<std::size_t> members_before(std::size_t root, const Recognised& found) const {
    std::vector<std::size_t> members;
    std::vector<std::size_t> open{root};
    while (!open.empty() && members.size() <= kMostMembers) {
      const std::size_t position = open.back();
      open.pop_back();
      for (const Slot& slot : block_.ops[position].inputs) {
        for (const VarId id : slot) {
          const std::size_t producer = expressions_.position(id);
          const bool ends = producer == kNoPosition || is_given(id, found) ||
                            std::find(members.begin(), members.end(), producer) != members.end();
          if (ends) continue;
          members.push_back(producer);
          open.push_back(producer);
        }
      }
    }
    if (members.size() > kMostMembers) return {};
    std::sort(members.begin(), members.end(), std::greater<>());
    return members;
  }

  // A constant that is made like an input, or like nothing, stays as long as somebody reads it.
  [[nodiscard]] bool is_given(VarId id, const Recognised& found) const {
    const auto is_input = [&](VarId other) {
      return std::any_of(found.inputs.begin(), found.inputs.end(),
                         [other](const auto& input) { return input.second == other; });
    };
    if (is_input(id)) return true;
    if (!expressions_.constant(id)) return false;
    const Operator* like = expressions_.producer(id, "full_like");
    return like == nullptr || is_input(argument(*like));
  }

  [[nodiscard]] bool reads_tensors(const Recognised& found) const {
    return std::all_of(found.inputs.begin(), found.inputs.end(), [this](const auto& input) {
      return block_.var(input.second).kind == program::ValueKind::kTensor;
    });
  }

  // Returns true if nobody but they and the root sees what they compute, and all are of one part of
  // the program at one place.
  [[nodiscard]] bool stands_alone(std::size_t root, const std::vector<std::size_t>& members) const {
    std::unordered_map<VarId, int> reads;
    const auto count = [&](const Operator& op) {
      for (const Slot& slot : op.inputs) {
        for (const VarId id : slot) ++reads[id];
      }
    };
    count(block_.ops[root]);
    for (const std::size_t member : members) count(block_.ops[member]);
    return is_pure(block_.ops[root], block_) &&
           std::all_of(members.begin(), members.end(), [&](std::size_t member) {
             const Operator& op = block_.ops[member];
             return is_alike(op, block_.ops[root]) && is_hidden(op, reads);
           });
  }
  [[nodiscard]] static bool is_alike(const Operator& a, const Operator& b) {
    return a.guard == b.guard && a.role == b.role && a.enclosure == b.enclosure;
  }
  [[nodiscard]] bool is_hidden(const Operator& op, std::unordered_map<VarId, int>& reads) const {
    if (!is_pure(op, block_)) return false;
    for (const Slot& slot : op.outputs) {
      for (const VarId id : slot) {
        if (is_kept(id) || reads_[at(id)] != reads[id]) return false;
      }
    }
    return true;
  }

  // Returns true if state that is read changes before the root reads it.
  [[nodiscard]] bool changes(std::size_t root, const std::vector<std::size_t>& members,
                             const Recognised& found) const {
    return std::any_of(found.inputs.begin(), found.inputs.end(), [&](const auto& input) {
      const std::vector<std::size_t>& writes = writes_[at(input.second)];
      const auto next = std::upper_bound(writes.begin(), writes.end(), members.back());
      return block_.var(input.second).persistable && next != writes.end() && *next < root;
    });
  }

  static Operator made_of(const Operator& root, const Recognised& found) {
    Operator made;
    made.schema = &ops::op_registry().get(found.type);
    made.name = root.name;
    made.guard = root.guard;
    made.role = root.role;
    made.scope = root.scope;
    made.origin = root.origin;
    made.enclosure = root.enclosure;
    made.attributes = made.schema->complete(found.attributes);
    made.inputs.resize(made.schema->inputs().size());
    for (const auto& [slot, id] : found.inputs) {
      made.inputs[static_cast<std::size_t>(made.schema->input_index(slot))].push_back(id);
    }
    return made;
  }

  // The root's result, and new variables for what else the op computes. Nothing, if the op refuses
  // its arguments or gives another type.
  bool give_outputs(const Operator& root, Operator* made) {
    std::vector<std::vector<ops::TensorType>> types;
    try {
      types = program::infer_outputs(block_, *made);
    } catch (const Error&) {
      return false;
    }
    const ops::TensorType& wanted = expressions_.type(result(root));
    const ops::TensorType& given = types.front().front();
    if (given.dtype != wanted.dtype || given.shape != wanted.shape) return false;
    made->outputs = {{result(root)}};
    for (std::size_t slot = 1; slot < types.size(); ++slot) {
      const std::string& name = made->schema->outputs()[slot].name;
      Slot& added = made->outputs.emplace_back();
      for (const ops::TensorType& type : types[slot]) added.push_back(add_var(root, name, type));
    }
    return true;
  }

  VarId add_var(const Operator& root, const std::string& slot, const ops::TensorType& type) {
    program::VarDesc desc;
    desc.name = block_.var(result(root)).name + "." + slot;
    while (block_.find(desc.name) != program::kNoVar) desc.name += "_";
    desc.type = type;
    reads_.push_back(0);
    writes_.emplace_back();
    return block_.add_var(std::move(desc));
  }

  void put(std::size_t root, const std::vector<std::size_t>& members, Operator made) {
    std::vector<VarId> unread;
    const auto remove = [&](const Operator& op) {
      count_reads(op, -1);
      for (const Slot& slot : op.inputs) unread.insert(unread.end(), slot.begin(), slot.end());
    };
    remove(block_.ops[root]);
    for (const std::size_t member : members) {
      remove(block_.ops[member]);
      is_gone_[member] = true;
    }
    count_reads(made, 1);
    block_.ops[root] = std::move(made);
    for (const VarId id : unread) remove_constant(id);
  }

  void remove_constant(VarId id) {
    const std::size_t position = expressions_.position(id);
    if (position == kNoPosition || is_gone_[position] || reads_[at(id)] != 0 || is_kept(id)) return;
    if (!expressions_.constant(id)) return;
    is_gone_[position] = true;
    count_reads(block_.ops[position], -1);
  }

  Block& block_;
  const PassContext& context_;
  Expressions expressions_;
  std::vector<int> reads_;                        // by variable
  std::vector<std::vector<std::size_t>> writes_;  // positions, ascending, by variable
  std::vector<bool> is_gone_;                     // by operator
};

// Puts the one op in place of operators that together compute what it does, where nobody sees what
// lies between and the place has kernels of it. What overflows or underflows on the way may not
// with the op: log_softmax is finite where the logarithm of a softmax is not.
void recognise_ops(Block& block, const PassContext& context) { Recognition(block, context).run(); }

}  // namespace

Pass op_recognition() {
  return {"puts the one op in place of several that compute an activation, a norm or attention",
          recognise_ops, /*keeps_bits=*/false};
}

}  // namespace loci::passes
