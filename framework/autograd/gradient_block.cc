#include "framework/autograd/gradient_block.h"

#include <algorithm>
#include <utility>

#include "framework/autograd/backward.h"
#include "framework/core/raise.h"
#include "framework/program/builder.h"
#include "framework/program/compact.h"

namespace loci::autograd {
namespace {

using program::Block;
using program::kNoVar;
using program::Operator;
using program::OperatorSpec;
using program::ProgramImpl;
using program::Slot;
using program::VarDesc;
using program::VarId;

std::size_t index_of(VarId id) { return static_cast<std::size_t>(id); }

bool contains(const std::vector<VarId>& ids, VarId id) {
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

std::string free_name(const Block& block, const std::string& wanted) {
  std::string name = wanted;
  for (int number = 0; block.find(name) != kNoVar; ++number) {
    name = fmt::format("{}_{}", wanted, number);
  }
  return name;
}

VarId emit(ProgramImpl& inner, const char* type, std::vector<OperatorSpec::NamedSlot> inputs,
           Attributes attributes = {}) {
  OperatorSpec spec;
  spec.type = type;
  spec.inputs = std::move(inputs);
  spec.attributes = std::move(attributes);
  spec.role = program::Role::kBackward;
  return program::append_operator(inner, spec).front();
}

VarId zeros_like(ProgramImpl& inner, VarId id) {
  return emit(inner, "full_like", {{"x", {id}}}, {{"value", 0.0}});
}

VarId add_argument(Block& block, const std::string& name, const ops::TensorType& type) {
  VarDesc desc;
  desc.name = free_name(block, name);
  desc.type = type;
  const VarId id = block.add_var(std::move(desc));
  block.arguments.push_back(id);
  return id;
}

// Keeps what the results need.
void prune(Block& block) {
  std::vector<bool> needed(block.vars.size());
  for (const VarId id : block.results) needed[index_of(id)] = true;
  std::vector<Operator> kept;
  for (std::size_t i = block.ops.size(); i-- > 0;) {
    Operator& op = block.ops[i];
    bool wanted = false;
    for (std::size_t slot = 0; slot < op.outputs.size(); ++slot) {
      if (!op.schema->outputs()[slot].updates.empty()) continue;
      for (const VarId id : op.outputs[slot]) wanted = wanted || needed[index_of(id)];
    }
    if (!wanted) continue;
    for (std::size_t slot = 0; slot < op.outputs.size(); ++slot) {
      if (op.schema->outputs()[slot].updates.empty() || op.outputs[slot].empty()) continue;
      core::raise(ErrorCode::kInvalidArgument,
                  "[gradients] '{}' in a branch changes '{}' in place, which the gradient, as it "
                  "computes the branch again, would do once more; put it outside the branch",
                  op.name, block.var(op.outputs[slot].front()).name);
    }
    for (const Slot& slot : op.inputs) {
      for (const VarId id : slot) needed[index_of(id)] = true;
    }
    kept.push_back(std::move(op));
  }
  std::reverse(kept.begin(), kept.end());
  block.ops = std::move(kept);
}

// The block while its gradient is appended.
class GradientBlock {
 public:
  GradientBlock(const Block& block, const GradientBlockRequest& request, ProgramImpl& program)
      : forward_(block), request_(request), program_(program) {
    inner_.mark_as_block();
    inner_.continue_numbers(program);
    inner_.main() = block;
    inner_.main().results.clear();
    for (const std::size_t i : request.results) {
      const VarDesc& result = block.var(block.results[i]);
      given_.push_back(add_argument(inner_.main(), result.name + "@GRAD", result.type));
    }
    for (const std::size_t i : request.summed) {
      const VarDesc& argument = block.var(block.arguments[i]);
      sums_.push_back(add_argument(inner_.main(), argument.name + "@GRAD@SUM", argument.type));
    }
  }

  BlockPtr differentiate() {
    std::vector<Seed> seeds;
    for (std::size_t i = 0; i < given_.size(); ++i) {
      seeds.push_back({forward_.results[request_.results[i]], given_[i]});
    }
    std::vector<VarId> targets = arguments(request_.targets);
    const std::vector<VarId> summed = arguments(request_.summed);
    for (std::size_t i = 0; i < summed.size(); ++i) seeds.push_back({summed[i], sums_[i]});
    targets.insert(targets.end(), summed.begin(), summed.end());
    const std::vector<VarId> grads = append_gradients_from(inner_, seeds, targets);
    for (std::size_t i = 0; i < grads.size(); ++i) {
      inner_.main().results.push_back(grad_or_zeros(grads[i], targets[i]));
    }
    return finish();
  }

  BlockPtr zeros() {
    inner_.main().ops.clear();
    for (const VarId id : arguments(request_.targets)) {
      const VarId zero = zeros_like(inner_, id);
      inner_.main().results.push_back(zero);
    }
    std::vector<VarId>& results = inner_.main().results;
    results.insert(results.end(), sums_.begin(), sums_.end());
    return finish();
  }

 private:
  std::vector<VarId> arguments(const std::vector<std::size_t>& positions) const {
    std::vector<VarId> ids;
    ids.reserve(positions.size());
    for (const std::size_t i : positions) ids.push_back(forward_.arguments[i]);
    return ids;
  }
  VarId grad_or_zeros(VarId grad, VarId target) {
    return grad != kNoVar ? grad : zeros_like(inner_, target);
  }
  BlockPtr finish() {
    prune(inner_.main());
    program::drop_unused_variables(&inner_);
    program_.continue_numbers(inner_);
    return std::make_shared<const Block>(std::move(inner_.main()));
  }

  const Block& forward_;
  const GradientBlockRequest& request_;
  ProgramImpl& program_;
  ProgramImpl inner_;
  std::vector<VarId> given_;
  std::vector<VarId> sums_;
};

void add_arguments(const Block& around, const std::vector<VarId>& ids, Block* block) {
  for (const VarId id : ids) add_argument(*block, around.var(id).name, around.var(id).type);
}

}  // namespace

BlockPtr gradient_block(const Block& block, const GradientBlockRequest& request,
                        ProgramImpl& program) {
  return GradientBlock(block, request, program).differentiate();
}

BlockPtr zeros_block(const Block& block, const GradientBlockRequest& request,
                     ProgramImpl& program) {
  return GradientBlock(block, request, program).zeros();
}

BlockPtr passing_block(const Block& around, const std::vector<VarId>& ids) {
  auto block = std::make_shared<Block>();
  add_arguments(around, ids, block.get());
  block->results = {block->arguments.front()};
  return block;
}

BlockPtr zeros_like_last(const Block& around, const std::vector<VarId>& ids, ProgramImpl& program) {
  ProgramImpl inner;
  inner.mark_as_block();
  inner.continue_numbers(program);
  add_arguments(around, ids, &inner.main());
  const VarId zero = zeros_like(inner, inner.main().arguments.back());
  inner.main().results = {zero};
  program.continue_numbers(inner);
  return std::make_shared<const Block>(std::move(inner.main()));
}

bool uses_argument(const Block& block, std::size_t position) {
  const VarId id = block.arguments[position];
  if (contains(block.results, id)) return true;
  return std::any_of(block.ops.begin(), block.ops.end(), [id](const Operator& op) {
    return std::any_of(op.inputs.begin(), op.inputs.end(),
                       [id](const Slot& slot) { return contains(slot, id); });
  });
}

BlockPtr without_arguments(const Block& block, const std::vector<bool>& kept) {
  ProgramImpl inner;
  inner.main() = block;
  Block& copy = inner.main();
  std::vector<VarId> arguments;
  for (std::size_t i = 0; i < copy.arguments.size(); ++i) {
    if (kept[i]) {
      arguments.push_back(copy.arguments[i]);
    } else {
      copy.var(copy.arguments[i]).persistable = false;  // else it would stay
    }
  }
  copy.arguments = std::move(arguments);
  program::drop_unused_variables(&inner);
  return std::make_shared<const Block>(std::move(copy));
}

}  // namespace loci::autograd
