#include "framework/program/block_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "framework/core/per_thread.h"
#include "framework/core/raise.h"
#include "framework/ops/op_registry.h"
#include "framework/program/builder.h"
#include "framework/program/control_flow.h"

namespace loci::program {
namespace {

struct Builders {
  std::vector<BlockBuilder*> stack;
};

std::vector<BlockBuilder*>& builders() { return core::PerThread<Builders>::get().stack; }

std::string free_name(const Block& block, const std::string& wanted) {
  std::string name = wanted;
  for (int number = 1; block.find(name) != kNoVar; ++number) {
    name = fmt::format("{}@{}", wanted, number);
  }
  return name;
}

}  // namespace

BlockBuilder::BlockBuilder(std::shared_ptr<ProgramImpl> outer, std::optional<BlockDraws> draws)
    : outer_(std::move(outer)),
      around_(active()),
      program_(std::make_shared<ProgramImpl>()),
      guard_depth_(program_guard_depth()),
      draws_(draws) {
  if (around_ != nullptr && around_->program() != outer_) around_ = nullptr;
  if (builders().size() >= static_cast<std::size_t>(kMostBlockDepth)) {
    core::raise(ErrorCode::kInvalidArgument,
                "[control_flow] blocks are nested deeper than {}; write fewer levels",
                kMostBlockDepth);
  }
  program_->mark_as_block();
  program_->continue_numbers(*outer_);
  if (draws_) program_->set_random_offset(draws_->first);
  builders().push_back(this);
}

BlockBuilder::~BlockBuilder() { builders().pop_back(); }

BlockBuilder* BlockBuilder::active() {
  if (builders().empty()) return nullptr;
  BlockBuilder* innermost = builders().back();
  return innermost->guard_depth_ == program_guard_depth() ? innermost : nullptr;
}

const std::shared_ptr<ProgramImpl>& BlockBuilder::root() const {
  return around_ == nullptr ? outer_ : around_->root();
}

// State keeps its name, by which a scope knows it. No operator of the block gets the number of one
// that has been added around it meanwhile.
VarId BlockBuilder::add_local(VarDesc desc) {
  Block& block = program_->main();
  const VarId taken = block.find(desc.name);
  if (taken != kNoVar && desc.persistable) {
    block.rename_var(taken, free_name(block, desc.name));
  } else if (taken != kNoVar) {
    desc.name = free_name(block, desc.name);
  }
  desc.is_data = false;
  desc.trainable = false;
  program_->reserve_name(desc.name);
  const VarId id = block.add_var(std::move(desc));
  block.arguments.push_back(id);
  return id;
}

Variable BlockBuilder::add_argument(const VarDesc& outside) {
  VarDesc desc = outside;
  desc.persistable = false;
  desc.guard.clear();
  return {program_, add_local(std::move(desc))};
}

VarId BlockBuilder::local(const Variable& variable) {
  const std::string& name = variable.name();
  if (variable.program() == program_) return variable.id();
  VarId outside = variable.id();
  if (around_ != nullptr) {
    outside = around_->local(variable);
  } else if (variable.program() != outer_) {
    core::raise(ErrorCode::kInvalidArgument,
                "[control_flow] '{}' belongs to another program, or to a branch that is complete; "
                "return it from that branch",
                name);
  }
  const auto known = locals_.find(outside);
  if (known != locals_.end()) return known->second;
  const VarId id = add_local(outer_->main().var(outside));
  captured_.push_back(outside);
  locals_.emplace(outside, id);
  return id;
}

// Made where it is first needed, for the device that needs it.
VarId BlockBuilder::random_state() {
  if (!draws_) {
    const Variable state(root(), program::random_state(*root()));
    return local(state);
  }
  if (state_ == kNoVar) state_ = own_random_state();
  return state_;
}

VarId BlockBuilder::own_random_state() {
  const VarId around =
      around_ != nullptr ? around_->random_state() : program::random_state(*outer_);
  OperatorSpec fold;
  fold.type = "random_fold_in";
  fold.inputs = {{"state", {local({outer_, around})}}};
  if (draws_->counts) fold.inputs.push_back({"index", {iteration()}});
  fold.attributes = {{"offset", draws_->offset}};
  fold.guard = current_guard();
  return append_operator(*program_, fold).front();
}

VarId BlockBuilder::iteration() {
  if (iteration_ != kNoVar) return iteration_;
  VarDesc desc = iteration_desc();
  desc.name = free_name(program_->main(), desc.name);
  iteration_ = program_->main().add_var(std::move(desc));
  return iteration_;
}

Variable BlockBuilder::next_iteration() {
  OperatorSpec next;
  next.type = "scale";
  next.inputs = {{"x", {iteration()}}};
  next.attributes = {{"scale", 1.0}, {"bias", 1.0}};
  next.guard = current_guard();
  return {program_, append_operator(*program_, next).front()};
}

ClosedBlock BlockBuilder::close(const std::vector<Variable>& results, bool copies_state) {
  Block& block = program_->main();
  std::vector<VarId> ids;  // all of them first: a result that is refused leaves the block as it is
  for (const Variable& variable : results) ids.push_back(local(variable));
  for (VarId& id : ids) {
    if (copies_state && block.var(id).persistable) {
      OperatorSpec copy;
      copy.type = "assign";
      copy.inputs = {{"x", {id}}};
      copy.guard = current_guard();
      id = append_operator(*program_, copy).front();
    }
  }
  block.results = std::move(ids);
  const std::int64_t draws_outside = outer_->random_offset();
  outer_->continue_numbers(*program_);
  if (draws_) outer_->set_random_offset(draws_outside);
  // A copy: variables that the user still holds name what is in the builder's.
  return {block, std::move(captured_), iteration_};
}

void BlockSet::add(const std::vector<VarId>& values, bool copies_state, const Fill& fill) {
  std::vector<VarDesc> arguments;
  for (const VarId id : values) arguments.push_back(outer_->main().var(id));
  add(arguments, values.size(), copies_state, fill);
}

void BlockSet::add(const std::vector<VarDesc>& arguments, std::size_t value_count,
                   bool copies_state, const Fill& fill) {
  BlockBuilder builder(outer_, draws_);
  std::vector<Variable> given;
  for (const VarDesc& argument : arguments) given.push_back(builder.add_argument(argument));
  std::vector<Variable> results = fill(given);
  const bool is_body = parts_.size() + 1 == loop_blocks_;
  if (is_body && results.size() >= value_count &&
      (takes_iteration() || builder.takes_iteration())) {
    results.insert(results.begin() + static_cast<std::ptrdiff_t>(value_count),
                   builder.next_iteration());
  }
  // The blocks of a loop draw one after the other.
  if (loop_blocks_ > 0 && draws_) draws_->first = builder.program()->random_offset();
  add(builder.close(results, copies_state), arguments.size());
  value_count_ = value_count;
}

void BlockSet::add(ClosedBlock closed, std::size_t value_count) {
  value_count_ = value_count;
  argument_count_ = value_count;
  for (const VarId id : closed.captured) {
    const bool known = std::find(captures_.begin(), captures_.end(), id) != captures_.end();
    if (!known) captures_.push_back(id);
  }
  parts_.push_back(std::move(closed));
}

void BlockSet::give_argument(ClosedBlock& part, std::size_t position, VarId outside) {
  const auto found = std::find(part.captured.begin(), part.captured.end(), outside);
  const std::vector<VarId>& old = part.block.arguments;
  if (found != part.captured.end()) {
    const auto index = static_cast<std::size_t>(found - part.captured.begin());
    part.block.arguments.push_back(old[argument_count_ + index]);
    return;
  }
  VarDesc desc = outer_->main().var(outside);
  desc.is_data = false;
  desc.trainable = false;
  desc.persistable = false;
  desc.name = free_name(part.block, fmt::format("{}@unused{}", desc.name, position));
  part.block.arguments.push_back(part.block.add_var(std::move(desc)));
}

bool BlockSet::takes_iteration() const {
  return std::any_of(parts_.begin(), parts_.end(),
                     [](const ClosedBlock& part) { return part.iteration != kNoVar; });
}

void BlockSet::give_iteration(ClosedBlock& part) const {
  VarDesc desc = iteration_desc();
  desc.name = free_name(part.block, desc.name + "@unused");
  const VarId id = part.iteration != kNoVar ? part.iteration : part.block.add_var(std::move(desc));
  std::vector<VarId>& arguments = part.block.arguments;
  arguments.insert(arguments.begin() + static_cast<std::ptrdiff_t>(value_count_), id);
}

std::vector<std::shared_ptr<const Block>> BlockSet::take() {
  std::vector<std::shared_ptr<const Block>> blocks;
  const bool is_counted = takes_iteration();
  for (ClosedBlock& part : parts_) {
    const std::size_t before = part.block.arguments.size();
    for (std::size_t i = 0; i < captures_.size(); ++i) give_argument(part, i, captures_[i]);
    std::vector<VarId>& arguments = part.block.arguments;
    const auto first = arguments.begin() + static_cast<std::ptrdiff_t>(argument_count_);
    arguments.erase(first, arguments.begin() + static_cast<std::ptrdiff_t>(before));
    if (is_counted) give_iteration(part);
    blocks.push_back(std::make_shared<const Block>(std::move(part.block)));
  }
  return blocks;
}

VarDesc iteration_desc() {
  VarDesc desc;
  desc.name = "iteration";
  desc.type = {kInt64, Shape{1}};
  desc.stop_gradient = true;
  return desc;
}

void share_random_state(BlockBuilder& block, OperatorSpec* spec) {
  if (!ops::op_registry().get(spec->type).is_random()) return;
  for (const auto& slot : spec->inputs) {
    if (slot.name == "state") return;
  }
  spec->inputs.push_back({"state", {block.random_state()}});
}

}  // namespace loci::program
