#include "framework/planning/type_binding.h"

#include <fmt/format.h>

#include <algorithm>

#include "framework/core/raise.h"
#include "framework/core/suggest.h"
#include "framework/profiler/parts.h"
#include "framework/program/control_flow.h"
#include "framework/program/scan.h"

namespace loci::planning {
namespace {

using execution::PlanFeed;

std::string describe(const ops::TensorType& type) {
  return fmt::format("{}{}", dtype_name(type.dtype), type.shape.to_string());
}

bool fits(const Shape& declared, const Shape& given) {
  if (declared.rank() != given.rank()) return false;
  for (int i = 0; i < declared.rank(); ++i) {
    if (declared[i] != kDynamicDim && declared[i] != given[i]) return false;
  }
  return true;
}

std::vector<std::string> feedable_names(const program::Block& block) {
  std::vector<std::string> names;
  for (const program::VarDesc& var : block.vars) {
    if (var.is_data) names.push_back(var.name);
  }
  return names;
}

void check_feed(const program::Block& block, const PlanFeed& feed) {
  const program::VarId id = block.find(feed.name);
  if (id == program::kNoVar) {
    core::raise(ErrorCode::kInvalidArgument,
                "[executor] the program has no variable '{}' to feed{}", feed.name,
                core::suggest(feed.name, feedable_names(block)));
  }
  const program::VarDesc& var = block.var(id);
  if (!var.is_data && !var.persistable) {
    core::raise(ErrorCode::kInvalidArgument,
                "[executor] '{}' is computed by the program and cannot be fed{}", feed.name,
                core::suggest(feed.name, feedable_names(block)));
  }
  const ops::TensorType given{feed.dtype, feed.shape};
  if (var.type.dtype != feed.dtype) {
    core::raise(ErrorCode::kInvalidArgument,
                "[executor] feed '{}' is {}, but the program takes {}; convert it first", feed.name,
                describe(given), describe(var.type));
  }
  if (!fits(var.type.shape, feed.shape)) {
    core::raise(ErrorCode::kInvalidArgument,
                "[executor] feed '{}' is {}, but the program takes {} (-1: any extent)", feed.name,
                describe(given), describe(var.type));
  }
}

}  // namespace

void check_feeds(const program::Block& block, const std::vector<PlanFeed>& feeds) {
  for (std::size_t i = 0; i < feeds.size(); ++i) {
    check_feed(block, feeds[i]);
    for (std::size_t j = 0; j < i; ++j) {
      if (feeds[j].name == feeds[i].name) {
        core::raise(ErrorCode::kInvalidArgument, "[executor] '{}' is fed twice", feeds[i].name);
      }
    }
  }
}

TypeBinder::TypeBinder(const program::Block& block, const tensor::ScopeImpl& scope)
    : block_(block), scope_(scope), types_(block.vars.size()) {}

void TypeBinder::bind_feeds(const std::vector<PlanFeed>& feeds) {
  for (const PlanFeed& feed : feeds) set_type(block_.find(feed.name), {feed.dtype, feed.shape});
}

std::vector<program::VarId> TypeBinder::missing_values(const program::Operator& op) const {
  std::vector<program::VarId> read;
  bool missing = false;
  for (std::size_t slot = 0; slot < op.inputs.size(); ++slot) {
    const ops::InputSlot& declared = op.schema->inputs()[slot];
    const bool is_read = declared.gives_extents || declared.decides;
    for (const program::VarId id : op.inputs[slot]) {
      if (const program::VarId count = count_of(id); count != program::kNoVar) {
        read.push_back(count);
        missing = true;
      }
      if (!is_read) continue;
      read.push_back(id);
      missing = missing || host_values_.count(id) == 0;
    }
  }
  if (!missing) read.clear();
  return read;
}

void TypeBinder::bind_scan(const program::Operator& op) {
  std::vector<ops::TensorType> inputs;
  for (const program::VarId id : program::block_inputs(op)) inputs.push_back(require(id, op));
  const auto types = program::scan_types(block_, op, inputs);
  for (std::size_t slot = 0; slot < 2; ++slot) {  // state keeps its type
    for (std::size_t i = 0; i < types[slot].size(); ++i) {
      set_type(op.outputs[slot][i], types[slot][i]);
    }
  }
}

void TypeBinder::bind(const program::Operator& op) {
  if (is(op, ops::Control::kScan)) return bind_scan(op);
  if (is_expected(op)) return bind_as_expected(op);
  std::vector<std::vector<ops::InferArgument>> arguments;
  arguments.reserve(op.inputs.size());
  for (const program::Slot& slot : op.inputs) {
    std::vector<ops::InferArgument>& list = arguments.emplace_back();
    list.reserve(slot.size());
    for (const program::VarId id : slot) {
      const auto value = host_values_.find(id);
      list.push_back({require(id, op), block_.var(id).name,
                      value == host_values_.end() ? Tensor() : value->second});
    }
  }
  ops::InferContext context(*op.schema, std::move(arguments), op.attributes);
  const profiler::Scope scope(label_of(profiler::Part::kInferShape), 0, profiler::Level::kDetail);
  context.run();
  for (std::size_t slot = 0; slot < op.outputs.size(); ++slot) {
    // State that a loop changes keeps its type.
    for (std::size_t i = 0; i < context.outputs()[slot].size(); ++i) {
      set_type(op.outputs[slot][i], context.outputs()[slot][i]);
    }
  }
  remember_bounds(op, context);
}

// State that changes has types of its own, and so has what is allocated at a bound.
bool TypeBinder::is_expected(const program::Operator& op) const {
  if (expected_ == nullptr) return false;
  const auto has_type = [this](program::VarId id) {
    if (index(id) >= expected_->size() || block_.var(id).persistable) return false;
    const ops::TensorType& type = (*expected_)[index(id)];
    return type.dtype != DType::kNone && type.shape.is_static();
  };
  for (std::size_t slot = 0; slot < op.outputs.size(); ++slot) {
    if (op.schema->outputs()[slot].extent == ops::Extent::kBounded) return false;
    const program::Slot& ids = op.outputs[slot];
    if (!std::all_of(ids.begin(), ids.end(), has_type)) return false;
  }
  return true;
}

void TypeBinder::bind_as_expected(const program::Operator& op) {
  for (const program::Slot& slot : op.inputs) {
    for (const program::VarId id : slot) require(id, op);
  }
  for (const program::Slot& slot : op.outputs) {
    for (const program::VarId id : slot) set_type(id, (*expected_)[index(id)]);
  }
}

void TypeBinder::remember_bounds(const program::Operator& op, const ops::InferContext& context) {
  for (std::size_t slot = 0; slot < op.outputs.size(); ++slot) {
    const ops::OutputSlot& schema = op.schema->outputs()[slot];
    if (schema.extent != ops::Extent::kBounded) continue;
    const auto count = static_cast<std::size_t>(op.schema->output_index(schema.count));
    bounded_[op.outputs[slot].front()] = {context.bounds()[slot].front(),
                                          op.outputs[count].front()};
  }
}

const ops::TensorType& TypeBinder::bound(program::VarId id) const {
  const auto found = bounded_.find(id);
  return found == bounded_.end() ? type(id) : found->second.bound;
}

program::VarId TypeBinder::count_of(program::VarId id) const {
  const auto found = bounded_.find(id);
  return found == bounded_.end() ? program::kNoVar : found->second.count;
}

const ops::TensorType& TypeBinder::require(program::VarId id, const program::Operator& op) {
  ops::TensorType& type = types_[index(id)];
  if (type.dtype == DType::kNone) type = external(block_.var(id), op);
  return type;
}

// The type of a variable that no operator has defined so far.
ops::TensorType TypeBinder::external(const program::VarDesc& var,
                                     const program::Operator& op) const {
  if (!var.persistable) {
    core::raise(ErrorCode::kInvalidArgument,
                "[executor] data variable '{}' {} is not fed, but {} reads it; feed it", var.name,
                describe(var.type), op.name);
  }
  if (var.name == program::kRandomStateName) return var.type;
  const Tensor tensor = scope_.find(var.name);
  if (!tensor.defined()) {
    core::raise(ErrorCode::kNotFound,
                "[executor] persistable variable '{}' is not in the scope; run the startup "
                "program or load weights first",
                var.name);
  }
  const ops::TensorType type{tensor.dtype(), tensor.shape()};
  if (type.dtype != var.type.dtype || !fits(var.type.shape, type.shape)) {
    core::raise(ErrorCode::kInvalidArgument,
                "[executor] variable '{}' is {} in the scope, but the program declares {}",
                var.name, describe(type), describe(var.type));
  }
  return type;
}

}  // namespace loci::planning
