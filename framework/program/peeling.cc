#include "framework/program/peeling.h"

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "framework/core/raise.h"
#include "framework/ops/op_registry.h"
#include "framework/program/control_flow.h"

namespace loci::program {
namespace {

VarId add_fresh(Block& block, const std::string& wanted, const ops::TensorType& type) {
  VarDesc desc;
  desc.name = wanted;
  for (int number = 1; block.find(desc.name) != kNoVar; ++number) {
    desc.name = fmt::format("{}@{}", wanted, number);
  }
  desc.type = type;
  return block.add_var(std::move(desc));
}

// One for each of these variables, of its name and type.
Slot add_like(Block& block, const Block& of, const Slot& ids) {
  Slot fresh;
  for (const VarId id : ids) fresh.push_back(add_fresh(block, of.var(id).name, of.var(id).type));
  return fresh;
}

Slot joined(Slot first, const Slot& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

bool is_gradient(const Operator& loop) { return is(loop, ops::Control::kLoopGradient); }

// Returns what the loop reads: values, captures, and, of a gradient, gradients.
Slot inputs_of(const Operator& loop) {
  const Slot inputs = block_inputs(loop);
  return is_gradient(loop) ? joined(inputs, loop.inputs[2]) : inputs;
}

// A case in the place of the loop; without predicates it stands for its one block.
Operator case_for(const Operator& loop, Slot predicates, Slot captures) {
  Operator op;
  op.schema = &ops::op_registry().get("case");
  op.name = loop.name;
  op.inputs = {std::move(predicates), std::move(captures)};
  op.outputs.resize(2);
  op.attributes = op.schema->complete({});
  op.guard = loop.guard;
  op.role = loop.role;
  op.scope = loop.scope;
  op.origin = loop.origin;
  // Side by side with the iterations before, not within them.
  const bool is_within = loop.made > 0 && loop.enclosure != nullptr;
  op.enclosure = is_within ? loop.enclosure->outer : loop.enclosure;
  return op;
}

Slot part(const Slot& arguments, std::size_t first, std::size_t count) {
  const auto begin = arguments.begin() + static_cast<std::ptrdiff_t>(first);
  return {begin, begin + static_cast<std::ptrdiff_t>(count)};
}

// The body, and behind it the loop, on what the body gives.
std::shared_ptr<const Block> next_iteration(const Operator& loop, const Block& around) {
  auto next = std::make_shared<Block>(*loop.blocks[1]);
  const Slot arguments = next->arguments;
  Operator rest = loop;
  ++rest.made;
  rest.inputs[0] = next->results;
  rest.inputs[1] = part(arguments, loop.inputs[0].size(), loop.inputs[1].size());
  if (is_gradient(loop)) {
    rest.inputs[2] = add_like(*next, around, loop.inputs[2]);
    next->arguments = joined(arguments, rest.inputs[2]);
  }
  rest.outputs[0] = add_like(*next, around, loop.outputs[0]);
  if (!is_gradient(loop)) rest.outputs[1] = changed_states(rest);
  next->results = rest.outputs[0];
  next->ops.push_back(std::move(rest));
  if (!is_gradient(loop)) return next;
  // The gradient's block makes the gradients before this iteration from those behind it.
  Operator before = case_for(loop, {}, joined(arguments, next->results));
  before.blocks = {loop.blocks[2]};
  before.outputs[0] = add_like(*next, around, loop.outputs[0]);
  next->results = before.outputs[0];
  next->ops.push_back(std::move(before));
  return next;
}

// Returns a block of no iteration, which gives what the loop was given. State is copied, as it may
// change later.
std::shared_ptr<const Block> no_iteration(const Operator& loop, const Block& around) {
  auto block = std::make_shared<Block>();
  const Slot inputs = inputs_of(loop);
  block->arguments = add_like(*block, around, inputs);
  const std::size_t count = loop.outputs[0].size();
  const std::size_t first = is_gradient(loop) ? inputs.size() - count : 0;
  for (std::size_t i = first; i < first + count; ++i) {
    VarId result = block->arguments[i];
    if (around.var(inputs[i]).persistable) {
      Operator copy;
      copy.schema = &ops::op_registry().get("assign");
      copy.name = loop.name;
      copy.inputs = {{result}};
      result = add_fresh(*block, around.var(inputs[i]).name, around.var(inputs[i]).type);
      copy.outputs = {{result}};
      copy.attributes = copy.schema->complete({});
      copy.guard = loop.guard;
      copy.role = loop.role;
      block->ops.push_back(std::move(copy));
    }
    block->results.push_back(result);
  }
  return block;
}

}  // namespace

void check_iterations(const Operator& loop) {
  const std::int64_t limit = is_gradient(loop) ? kMostPeeledGradient : kMostPeeled;
  if (loop.made > limit) {
    core::raise(ErrorCode::kFailed,
                "[{}] {} has changed the shape of its values in {} iterations, each of which "
                "takes plans of its own; give them the shape of the end before the loop, and let "
                "iterations fill it",
                loop.type(), loop.name, limit);
  }
  const auto most = std::get<std::int64_t>(loop.attributes.at("max_iterations"));
  if (most == 0 || loop.made <= most) return;
  core::raise(ErrorCode::kFailed,
              "[while] {} has made {} iterations, as many as max_iterations allows, and its "
              "condition is still true; allow more, or see that its body makes it false",
              loop.name, most);
}

void peel(const Operator& loop, Block& block, Inliner& inliner, std::vector<Operator>* into) {
  Operator condition = case_for(loop, {}, block_inputs(loop));
  condition.blocks = {loop.blocks[0]};
  const VarId goes_on = add_fresh(block, loop.name + ".condition", {kBool, Shape{1}});
  condition.outputs[0] = {goes_on};
  inliner.add(std::move(condition), into);
  Operator branch = case_for(loop, {goes_on}, inputs_of(loop));
  branch.blocks = {next_iteration(loop, block), no_iteration(loop, block)};
  branch.outputs[0] = loop.outputs[0];
  if (!is_gradient(loop)) branch.outputs[1] = loop.outputs[1];
  inliner.add(std::move(branch), into);
}

}  // namespace loci::program
