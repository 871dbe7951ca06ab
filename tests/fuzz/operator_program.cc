#include "tests/fuzz/operator_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <loci/executor.hpp>
#include <loci/program.hpp>
#include <optional>
#include <string>
#include <utility>

#include "framework/program/verifier.h"
#include "tests/fuzz/operator_checks.h"
#include "tests/fuzz/random_shape.h"

namespace loci::fuzz {
namespace {

template <class T>
void fill(const Tensor& tensor, const std::vector<T>& values, Dice& dice) {
  auto* elements = static_cast<T*>(tensor.raw_data());
  for (std::int64_t i = 0; i < tensor.numel(); ++i) elements[i] = dice.one_of(values);
}

void fill_with_bits(const Tensor& tensor, Dice& dice) {
  auto* bytes = static_cast<unsigned char*>(tensor.raw_data());
  for (std::size_t i = 0; i < tensor.bytes(); ++i)
    bytes[i] = static_cast<unsigned char>(dice.bits());
}

// Small numbers, as ids and axes are, or any bits.
Tensor random_tensor(const ops::TensorType& type, Dice& dice) {
  Tensor tensor = Tensor::empty(type.shape, type.dtype);
  const bool small = dice.chance(70);
  switch (type.dtype) {
    case kBool: fill<std::uint8_t>(tensor, {0, 1}, dice); break;
    case kInt32:
      small ? fill<std::int32_t>(tensor, {0, 1, 2, 3, -1}, dice) : fill_with_bits(tensor, dice);
      break;
    case kInt64:
      small ? fill<std::int64_t>(tensor, {0, 1, 2, 3, -1}, dice) : fill_with_bits(tensor, dice);
      break;
    case kFloat32:
      small ? fill<float>(tensor, {0, 1, -2, 0.25F, 7}, dice) : fill_with_bits(tensor, dice);
      break;
    default: fill_with_bits(tensor, dice); break;
  }
  return tensor;
}

// The program under construction, and what it is run with.
class OperatorProgram {
 public:
  OperatorProgram(const OperatorCase& subject, Dice& dice) : subject_(subject), dice_(dice) {}

  void run() {
    const std::vector<Variable> outputs = build();
    Executor executor(Place("cpu"), CompileOptions(), scope_);
    const std::vector<Fetch> fetches(outputs.begin(), outputs.end());
    const std::vector<Tensor> results = executor.run(program_, feed_, fetches);
    if (results.size() != outputs.size()) throw Violation("a result is missing");
    for (std::size_t i = 0; i < results.size(); ++i) check_result(outputs[i], results[i]);
  }

 private:
  std::vector<Variable> build() {
    const ProgramGuard building(program_);
    OpCall<Variable> call(subject_.schema->name());
    call.attributes = subject_.attributes;
    for (std::size_t i = 0; i < subject_.inputs.size(); ++i) {
      const ops::InputSlot& slot = subject_.schema->inputs()[i];
      // The random state is the executor's.
      if (subject_.schema->is_random() && slot.name == "state") continue;
      std::vector<Variable> variables;
      for (const ops::TensorType& type : subject_.inputs[i]) {
        variables.push_back(variable(type, is_state(slot.name)));
      }
      call.inputs_of(slot.name, std::move(variables));
    }
    return emit_op(call);
  }

  [[nodiscard]] bool is_state(const std::string& slot) const {
    const auto& outputs = subject_.schema->outputs();
    return std::any_of(outputs.begin(), outputs.end(),
                       [&](const ops::OutputSlot& output) { return output.updates == slot; });
  }

  Variable variable(const ops::TensorType& type, bool state) {
    for (const Argument& known : arguments_) {
      if (known.type == type && (known.state || !state) && dice_.chance(20)) return known.variable;
    }
    const Variable made = state ? make_state(type) : make_data(type);
    arguments_.push_back({made, type, state});
    return made;
  }

  Variable make_state(const ops::TensorType& type) {
    const std::string name = next_name();
    scope_.set(name, random_tensor(type, dice_));
    return create_persistable(type.shape, type.dtype, initializer::constant(0), name);
  }

  Variable make_data(const ops::TensorType& type) {
    feed_.emplace_back(next_name(), random_tensor(type, dice_));
    const Shape shape = dice_.chance(30) ? with_unknown_extent(dice_, type.shape) : type.shape;
    return data(feed_.back().first, shape, type.dtype);
  }

  std::string next_name() const { return fmt::format("argument_{}", arguments_.size()); }

  static void check_result(const Variable& variable, const Tensor& result) {
    if (program::compatible({variable.dtype(), variable.shape()},
                            {result.dtype(), result.shape()})) {
      return;
    }
    throw Violation(fmt::format("'{}' is {}{} and not {}{}", variable.name(),
                                dtype_name(result.dtype()), result.shape().to_string(),
                                dtype_name(variable.dtype()), variable.shape().to_string()));
  }

  struct Argument {
    Variable variable;
    ops::TensorType type;
    bool state;
  };

  const OperatorCase& subject_;
  Dice& dice_;
  Program program_;
  Scope scope_;
  Feed feed_;
  std::vector<Argument> arguments_;
};

}  // namespace

void run_on_cpu(const OperatorCase& subject, Dice& dice) { OperatorProgram(subject, dice).run(); }

}  // namespace loci::fuzz
