#include "framework/ops/infer_context.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "framework/core/listed.h"
#include "framework/core/raise.h"

namespace loci::ops {
namespace {

constexpr std::size_t kMostInputsNamed = 10;  // a variadic slot may have thousands

std::string described(const InputSlot& slot, const InferArgument& argument) {
  return fmt::format("{} '{}' {}{}", slot.name, argument.name, dtype_name(argument.type.dtype),
                     argument.type.shape.to_string());
}

}  // namespace

InferContext::InferContext(const OpSchema& schema, std::vector<std::vector<InferArgument>> inputs,
                           const Attributes& attributes)
    : schema_(&schema), inputs_(std::move(inputs)), attributes_(&attributes) {
  if (inputs_.size() > schema.inputs().size()) {
    core::raise(ErrorCode::kInternal, "[{}] has {} input slots, not {}", schema.name(),
                schema.inputs().size(), inputs_.size());
  }
  inputs_.resize(schema.inputs().size());
  outputs_.resize(schema.outputs().size());
  for (std::size_t i = 0; i < inputs_.size(); ++i) check_slot(schema.inputs()[i], inputs_[i]);
}

void InferContext::check_slot(const InputSlot& slot,
                              const std::vector<InferArgument>& arguments) const {
  if (slot.arity == Arity::kRequired && arguments.empty()) {
    fail("input '{}' is missing; it is required", slot.name);
  }
  if (slot.arity != Arity::kVariadic && arguments.size() > 1) {
    fail("input '{}' has {} arguments; it takes one", slot.name, arguments.size());
  }
  for (const InferArgument& argument : arguments) {
    if (argument.type.dtype == DType::kNone) {
      fail(
          "'{}' has neither a dtype nor a shape before the run, because the branches that give it "
          "differ in them; compute with it inside the branches, or only fetch it",
          argument.name);
    }
    if (!slot.dtypes.contains(argument.type.dtype)) {
      fail("input '{}' is {}; it takes {}", slot.name, dtype_name(argument.type.dtype),
           slot.dtypes.to_string());
    }
    check_size("input", slot.name, argument.type);
  }
}

bool InferContext::has_input(std::string_view name) const { return !slot(name).empty(); }

std::size_t InferContext::input_count(std::string_view name) const { return slot(name).size(); }

const TensorType& InferContext::input(std::string_view name, std::size_t index) const {
  return argument(name, index).type;
}

const Tensor& InferContext::host_value(std::string_view name, std::size_t index) const {
  return argument(name, index).host_value;
}

const InferArgument& InferContext::argument(std::string_view name, std::size_t index) const {
  const std::vector<InferArgument>& arguments = slot(name);
  if (index < arguments.size()) return arguments[index];
  core::raise(ErrorCode::kInternal, "[{}] inference reads argument {} of input '{}', which has {}",
              schema_->name(), index, name, arguments.size());
}

int InferContext::axis(std::string_view attribute_name, int rank) const {
  const auto given = attr<std::int64_t>(attribute_name);
  if (given < -rank || given >= rank) {
    if (rank == 0) fail("{} is {}, but a value of rank 0 has no axis", attribute_name, given);
    fail("{} is {}; give one in [{}, {})", attribute_name, given, -rank, rank);
  }
  return static_cast<int>(given < 0 ? given + rank : given);
}

void InferContext::set_outputs(std::vector<std::vector<TensorType>> types) {
  outputs_ = std::move(types);
}

void InferContext::set_output(std::string_view name, TensorType type, std::size_t index) {
  const int slot_index = schema_->output_index(name);
  if (slot_index < 0) {
    core::raise(ErrorCode::kInternal, "[{}] inference sets '{}', which is no output",
                schema_->name(), name);
  }
  std::vector<TensorType>& types = outputs_[static_cast<std::size_t>(slot_index)];
  if (types.size() <= index) types.resize(index + 1);
  types[index] = type;
}

void InferContext::run() {
  schema_->infer_fn()(*this);
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    const OutputSlot& output = schema_->outputs()[i];
    std::vector<TensorType>& types = outputs_[i];
    // State keeps its type.
    const bool changes_state = !output.updates.empty() && output.arity == Arity::kRequired;
    if (types.empty() && changes_state) types.push_back(input(output.updates));
    if (types.empty() && output.arity == Arity::kRequired) {
      core::raise(ErrorCode::kInternal, "[{}] inference leaves output '{}' unset", schema_->name(),
                  output.name);
    }
    for (const TensorType& type : types) check_size("output", output.name, type);
    check_dtypes(output, types);
  }
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    if (schema_->outputs()[i].extent != Extent::kBounded) continue;
    if (bounds_.empty()) bounds_ = outputs_;
    for (TensorType& type : outputs_[i]) type.shape.set(0, kDynamicDim);
  }
}

// The dtype that a schema states for an output has to be true of the operator.
void InferContext::check_dtypes(const OutputSlot& slot,
                                const std::vector<TensorType>& types) const {
  const DType stated = slot.dtype.of(*this);
  if (stated == DType::kNone) return;
  for (const TensorType& type : types) {
    if (type.dtype == stated) continue;
    core::raise(ErrorCode::kInternal, "[{}] inference makes output '{}' {}; its schema says {}, {}",
                schema_->name(), slot.name, dtype_name(type.dtype), slot.dtype.to_string(),
                dtype_name(stated));
  }
}

// Here for all ops, so that neither inference nor anybody after it has to fear an overflow.
void InferContext::check_size(std::string_view what, std::string_view slot,
                              const TensorType& type) const {
  auto most = std::numeric_limits<std::int64_t>::max() /
              static_cast<std::int64_t>(std::max<std::size_t>(dtype_size(type.dtype), 1));
  for (const std::int64_t extent : type.shape) {
    if (extent == 0) return;
  }
  for (const std::int64_t extent : type.shape) {
    if (extent == kDynamicDim) continue;
    most /= extent;
    if (most > 0) continue;
    fail("{} '{}' would be {}{}, which is more than 2^63 bytes; use smaller extents", what, slot,
         dtype_name(type.dtype), type.shape.to_string());
  }
}

void InferContext::fail_with(const std::string& message) const {
  std::vector<std::string> arguments;
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    for (const InferArgument& given : inputs_[i]) {
      arguments.push_back(described(schema_->inputs()[i], given));
    }
  }
  core::raise(ErrorCode::kInvalidArgument, "[{}] {}{}{}", schema_->name(), message,
              arguments.empty() ? "" : "; inputs: ", core::listed(arguments, kMostInputsNamed));
}

const Attribute& InferContext::attribute(std::string_view name) const {
  const auto found = attributes_->find(std::string(name));
  if (found != attributes_->end()) return found->second;
  core::raise(ErrorCode::kInternal, "[{}] inference reads attribute '{}', which is not there",
              schema_->name(), name);
}

const std::vector<InferArgument>& InferContext::slot(std::string_view name) const {
  const int index = schema_->input_index(name);
  if (index >= 0) return inputs_[static_cast<std::size_t>(index)];
  core::raise(ErrorCode::kInternal, "[{}] inference reads '{}', which is no input", schema_->name(),
              name);
}

}  // namespace loci::ops
