#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

#include "framework/ops/fused_expression.h"
#include "framework/ops/op_registry.h"
#include "framework/passes/pass.h"

namespace loci::passes {
namespace {

using program::Block;
using program::Operator;
using program::Slot;
using program::VarId;

constexpr std::size_t kNoChain = static_cast<std::size_t>(-1);

// How often each variable is read and written.
class VariableUses {
 public:
  explicit VariableUses(const Block& block)
      : reads_(block.vars.size(), 0),
        writes_(block.vars.size(), 0),
        is_given_(block.vars.size(), false) {
    for (const Operator& op : block.ops) {
      for (const Slot& slot : op.inputs) count(slot, &reads_);
      for (const Slot& slot : op.outputs) count(slot, &writes_);
    }
    for (const VarId id : block.arguments) is_given_[at(id)] = true;
    for (std::size_t i = 0; i < block.vars.size(); ++i) {
      if (block.vars[i].persistable || block.vars[i].is_data) is_given_[i] = true;
    }
  }

  [[nodiscard]] int reads(VarId id) const { return reads_[at(id)]; }
  // It has one value, which one operator computes.
  [[nodiscard]] bool is_computed_once(VarId id) const {
    return writes_[at(id)] == 1 && !is_given_[at(id)];
  }
  // It may have another value later on.
  [[nodiscard]] bool changes(VarId id) const {
    return writes_[at(id)] > (is_given_[at(id)] ? 0 : 1);
  }

 private:
  static std::size_t at(VarId id) { return static_cast<std::size_t>(id); }
  static void count(const Slot& slot, std::vector<int>* uses) {
    for (const VarId id : slot) ++(*uses)[at(id)];
  }

  std::vector<int> reads_;
  std::vector<int> writes_;
  std::vector<bool> is_given_;  // has a value before the block runs
};

// Operators that become one, at the position of the last of them. While it is open, nobody else
// has read what they compute, and nothing that they read has changed.
struct ElementwiseChain {
  std::vector<std::size_t> members;  // positions, ascending
  std::vector<VarId> inputs;         // in the order of their first use
  bool is_open = true;
};

// Walks over the operators once. Each is part of one chain at most, and chains have a bounded
// length, so that all takes time linear in the operators and their arguments.
class ChainFuser {
 public:
  ChainFuser(Block& block, const PassContext& context)
      : block_(block),
        context_(context),
        uses_(block),
        chain_of_(block.vars.size(), kNoChain),
        readers_(block.vars.size()) {}

  void run() {
    if (!context_.has_kernel) return;
    for (std::size_t i = 0; i < block_.ops.size(); ++i) visit(i);
    std::vector<bool> is_gone(block_.ops.size(), false);
    for (const ElementwiseChain& chain : chains_) replace(chain, &is_gone);
    remove_operators(block_, is_gone);
  }

 private:
  static std::size_t at(VarId id) { return static_cast<std::size_t>(id); }
  [[nodiscard]] const ops::TensorType& type(VarId id) const { return block_.var(id).type; }
  [[nodiscard]] static VarId result_of(const Operator& op) { return op.outputs[0].front(); }

  const sdk::FusableOp* fusable(const Operator& op) {
    const auto [entry, is_new] = fusable_.try_emplace(op.schema, nullptr);
    if (is_new) entry->second = sdk::find_fusable_op(op.type());
    return entry->second;
  }

  void visit(std::size_t position) {
    const Operator& op = block_.ops[position];
    const bool joins = can_join(op);
    std::size_t chain = kNoChain;
    for (const Slot& slot : op.inputs) {
      for (const VarId id : slot) {
        const std::size_t producer = chain_of_[at(id)];
        if (producer == kNoChain || !chains_[producer].is_open || producer == chain) continue;
        if (!joins || !take_up(producer, op, &chain)) chains_[producer].is_open = false;
      }
    }
    close_readers_of_what_changes(op);
    if (!joins) return;
    if (chain == kNoChain || !chains_[chain].is_open) {
      chain = chains_.size();
      chains_.emplace_back();
    }
    append(position, chain);
  }

  // Returns true for an elementwise operator that does nothing else, with kernels at its place.
  bool can_join(const Operator& op) {
    if (fusable(op) == nullptr || !is_pure(op, block_)) return false;
    const VarId out = result_of(op);
    if (!uses_.is_computed_once(out) || !type(out).shape.is_static()) return false;
    if (block_.var(out).kind != program::ValueKind::kTensor) return false;
    const VarId first = op.inputs[0].front();
    return context_.has_kernel(op.type(), type(first).dtype, op.guard);
  }

  // Has the operator go on with the chain, or joins that to the one which it goes on with already.
  bool take_up(std::size_t producer, const Operator& op, std::size_t* chain) {
    ElementwiseChain& candidate = chains_[producer];
    if (!is_alike(block_.ops[candidate.members.front()], op)) return false;
    if (*chain == kNoChain) {
      if (!has_room(candidate, op, nullptr)) return false;
      *chain = producer;
      return true;
    }
    ElementwiseChain& own = chains_[*chain];
    if (!has_room(own, op, &candidate)) return false;
    merge(candidate, producer, *chain);
    return true;
  }

  // One place, one shape, one part of the program.
  [[nodiscard]] bool is_alike(const Operator& a, const Operator& b) const {
    return a.guard == b.guard && a.role == b.role && a.enclosure == b.enclosure &&
           type(result_of(a)).shape == type(result_of(b)).shape;
  }

  // Returns true if all that is fused stays within the bounds of the op.
  [[nodiscard]] bool has_room(const ElementwiseChain& chain, const Operator& op,
                              const ElementwiseChain* other) const {
    std::size_t steps = chain.members.size() + 1;
    std::vector<VarId> inputs = chain.inputs;
    const auto add = [&](VarId id) {
      if (std::find(inputs.begin(), inputs.end(), id) == inputs.end()) inputs.push_back(id);
    };
    if (other != nullptr) {
      steps += other->members.size();
      for (const VarId id : other->inputs) add(id);
    }
    for (const Slot& slot : op.inputs) {
      for (const VarId id : slot) {
        const std::size_t producer = chain_of_[at(id)];
        const bool is_inside =
            producer != kNoChain && (&chains_[producer] == &chain || &chains_[producer] == other);
        if (!is_inside) add(id);
      }
    }
    return steps <= sdk::kMostFusedSteps && inputs.size() <= sdk::kMostFusedInputs;
  }

  // Neither reads what the other computes: it would have been closed by that, or joined.
  void merge(ElementwiseChain& from, std::size_t from_index, std::size_t into_index) {
    ElementwiseChain& into = chains_[into_index];
    std::vector<std::size_t> members;
    std::merge(into.members.begin(), into.members.end(), from.members.begin(), from.members.end(),
               std::back_inserter(members));
    into.members = std::move(members);
    for (const std::size_t member : from.members) {
      chain_of_[at(result_of(block_.ops[member]))] = into_index;
    }
    for (const VarId id : from.inputs) add_input(id, into_index);
    chains_[from_index] = {{}, {}, false};
  }

  void append(std::size_t position, std::size_t chain) {
    const Operator& op = block_.ops[position];
    for (const Slot& slot : op.inputs) {
      for (const VarId id : slot) {
        if (chain_of_[at(id)] != chain) add_input(id, chain);
      }
    }
    chains_[chain].members.push_back(position);
    chain_of_[at(result_of(op))] = chain;
  }

  void add_input(VarId id, std::size_t chain) {
    std::vector<VarId>& inputs = chains_[chain].inputs;
    if (std::find(inputs.begin(), inputs.end(), id) != inputs.end()) return;
    inputs.push_back(id);
    if (uses_.changes(id)) readers_[at(id)].push_back(chain);
  }

  // A chain ends before what it reads is written.
  void close_readers_of_what_changes(const Operator& op) {
    for (const Slot& slot : op.outputs) {
      for (const VarId id : slot) {
        for (const std::size_t chain : std::exchange(readers_[at(id)], {})) {
          chains_[chain].is_open = false;
        }
      }
    }
  }

  void replace(const ElementwiseChain& chain, std::vector<bool>* is_gone) {
    if (chain.members.size() < 2) return;
    const DType dtype = type(chain.inputs.front()).dtype;
    const std::string& guard = block_.ops[chain.members.front()].guard;
    if (!context_.has_kernel("fused_elementwise", dtype, guard)) return;
    std::optional<Operator> fused = fused_operator(chain);
    if (!fused) return;
    for (const std::size_t member : chain.members) (*is_gone)[member] = true;
    (*is_gone)[chain.members.back()] = false;
    block_.ops[chain.members.back()] = std::move(*fused);
  }

  // Nothing if nobody reads what the chain computes.
  std::optional<Operator> fused_operator(const ElementwiseChain& chain) {
    ops::FusedExpression expression;
    std::unordered_map<VarId, std::size_t> values;
    std::unordered_map<VarId, int> reads;
    for (const VarId id : chain.inputs) values.emplace(id, values.size());
    for (const std::size_t member : chain.members) {
      const Operator& op = block_.ops[member];
      ops::FusedStep step{op.schema, fusable(op), {}, op.attributes, type(result_of(op)).dtype};
      for (const Slot& slot : op.inputs) {
        for (const VarId id : slot) {
          step.operands.push_back(values.at(id));
          ++reads[id];
        }
      }
      values.emplace(result_of(op), values.size());
      expression.steps.push_back(std::move(step));
    }
    Operator fused = named_after(chain);
    fused.inputs = {chain.inputs};
    fused.outputs.resize(1);
    // From the last on: kernels may write the first output where an input was.
    for (auto member = chain.members.rbegin(); member != chain.members.rend(); ++member) {
      const VarId id = result_of(block_.ops[*member]);
      if (!context_.kept[at(id)] && uses_.reads(id) == reads[id]) continue;
      fused.outputs[0].push_back(id);
      expression.results.push_back(values.at(id));
    }
    if (expression.results.empty()) return std::nullopt;
    fused.attributes = fused.schema->complete(ops::fused_attributes(expression));
    return fused;
  }

  // Gives the fused operator the origin of its members, if they are all of one gradient.
  [[nodiscard]] Operator named_after(const ElementwiseChain& chain) const {
    const Operator& first = block_.ops[chain.members.front()];
    Operator fused;
    fused.schema = &ops::op_registry().get("fused_elementwise");
    fused.guard = first.guard;
    fused.role = first.role;
    fused.enclosure = first.enclosure;
    fused.origin = first.origin;
    for (const std::size_t member : chain.members) {
      const Operator& op = block_.ops[member];
      fused.name += (fused.name.empty() ? "" : "+") + op.name;
      if (op.origin != fused.origin) fused.origin.clear();
    }
    return fused;
  }

  Block& block_;
  const PassContext& context_;
  VariableUses uses_;
  std::unordered_map<const ops::OpSchema*, const sdk::FusableOp*> fusable_;
  std::vector<ElementwiseChain> chains_;
  std::vector<std::size_t> chain_of_;              // by variable: whose member computes it
  std::vector<std::vector<std::size_t>> readers_;  // chains, by variable that changes
};

// Puts a fused_elementwise in place of elementwise operators of one place and one shape that read
// each other's results, as far as nothing else has to happen between them; where the place has
// kernels of it and of all of them.
void fuse_elementwise(Block& block, const PassContext& context) {
  ChainFuser(block, context).run();
}

}  // namespace

Pass elementwise_fusion() {
  return {"computes chains of elementwise operators in one loop, block by block in the cache",
          fuse_elementwise};
}

}  // namespace loci::passes
