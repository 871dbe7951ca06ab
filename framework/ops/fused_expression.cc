#include "framework/ops/fused_expression.h"

#include <algorithm>
#include <utility>

#include "framework/core/raise.h"
#include "framework/ops/op_registry.h"

namespace loci::ops {
namespace {

using Integers = std::vector<std::int64_t>;
using Reals = std::vector<double>;
using Strings = std::vector<std::string>;

template <class... Args>
[[noreturn]] void refuse_expression(fmt::format_string<Args...> format, Args&&... args) {
  core::raise(ErrorCode::kInvalidArgument, "[fused_elementwise] {}",
              fmt::format(format, std::forward<Args>(args)...));
}

// Reads the lists of all steps, from their begin to their end.
class ExpressionReader {
 public:
  ExpressionReader(const Attributes& attributes, std::size_t inputs)
      : ops_(std::get<Strings>(attributes.at("ops"))),
        operands_(std::get<Integers>(attributes.at("operands"))),
        dtypes_(std::get<Integers>(attributes.at("dtypes"))),
        constants_(std::get<Reals>(attributes.at("constants"))),
        results_(std::get<Integers>(attributes.at("results"))),
        inputs_(inputs),
        is_read_(inputs, false) {}

  FusedExpression read() {
    check_counts();
    FusedExpression expression;
    for (std::size_t i = 0; i < ops_.size(); ++i) expression.steps.push_back(read_step(i));
    if (next_operand_ != operands_.size()) {
      refuse_expression("operands has {} numbers and the steps take {} of them", operands_.size(),
                        next_operand_);
    }
    if (next_constant_ != constants_.size()) {
      refuse_expression("constants has {} numbers and the steps take {} of them", constants_.size(),
                        next_constant_);
    }
    expression.results = read_results();
    check_inputs();
    return expression;
  }

 private:
  void check_counts() const {
    if (ops_.empty()) refuse_expression("ops is empty; give at least one step");
    if (ops_.size() > sdk::kMostFusedSteps) {
      refuse_expression("there are {} steps; give at most {}", ops_.size(), sdk::kMostFusedSteps);
    }
    if (inputs_ > sdk::kMostFusedInputs) {
      refuse_expression("there are {} inputs; give at most {}", inputs_, sdk::kMostFusedInputs);
    }
    if (dtypes_.size() != ops_.size()) {
      refuse_expression("dtypes has {} items and ops {}; give one for each step", dtypes_.size(),
                        ops_.size());
    }
  }

  FusedStep read_step(std::size_t i) {
    FusedStep step;
    step.op = sdk::find_fusable_op(ops_[i]);
    if (step.op == nullptr) {
      refuse_expression("step {} is '{}', which is no elementwise op that can be fused", i,
                        ops_[i]);
    }
    step.schema = &op_registry().get(ops_[i]);
    read_operands(i, &step);
    step.dtype = read_dtype(i);
    step.attributes = step.schema->complete(read_attributes(i, step));
    return step;
  }

  void read_operands(std::size_t i, FusedStep* step) {
    const std::int64_t count = next_operand(i);
    if (count != step->op->operands) {
      refuse_expression("step {}, {}, has {} operands; it takes {}", i, ops_[i], count,
                        step->op->operands);
    }
    for (std::int64_t o = 0; o < count; ++o) {
      const std::int64_t value = next_operand(i);
      const std::size_t known = inputs_ + i;
      if (value < 0 || static_cast<std::size_t>(value) >= known) {
        refuse_expression(
            "step {}, {}, reads value {}; before it there are {}: {} inputs and the results of "
            "earlier steps",
            i, ops_[i], value, known, inputs_);
      }
      const auto operand = static_cast<std::size_t>(value);
      if (operand < inputs_) is_read_[operand] = true;
      step->operands.push_back(operand);
    }
  }

  std::int64_t next_operand(std::size_t step) {
    if (next_operand_ == operands_.size()) {
      refuse_expression("operands ends within step {}, {}", step, ops_[step]);
    }
    return operands_[next_operand_++];
  }

  [[nodiscard]] DType read_dtype(std::size_t i) const {
    const auto dtype = static_cast<DType>(dtypes_[i]);
    if (dtypes_[i] < 0 || dtypes_[i] > static_cast<std::int64_t>(kFloat64) ||
        dtype_size(dtype) == 0) {
      refuse_expression("step {}, {}, has the dtype code {}, which there is not", i, ops_[i],
                        dtypes_[i]);
    }
    return dtype;
  }

  Attributes read_attributes(std::size_t i, const FusedStep& step) {
    Attributes attributes;
    for (std::size_t c = 0; c < step.op->constant_count(); ++c) {
      if (next_constant_ == constants_.size()) {
        refuse_expression("constants ends within step {}, {}", i, ops_[i]);
      }
      const double constant = constants_[next_constant_++];
      const std::string name(step.op->constants[c]);
      if (name == "approximate") {
        attributes[name] = constant != 0;
      } else {
        attributes[name] = constant;
      }
    }
    if (step.op->name == "cast") attributes["dtype"] = step.dtype;
    return attributes;
  }

  [[nodiscard]] std::vector<std::size_t> read_results() const {
    if (results_.empty()) refuse_expression("results is empty; give at least one value");
    std::vector<std::size_t> results;
    for (const std::int64_t value : results_) {
      const std::size_t end = inputs_ + ops_.size();
      const auto result = static_cast<std::size_t>(value);
      if (value < 0 || result < inputs_ || result >= end) {
        refuse_expression("results has value {}; those of steps are in [{}, {}]", value, inputs_,
                          end - 1);
      }
      if (std::find(results.begin(), results.end(), result) != results.end()) {
        refuse_expression("results has value {} twice", value);
      }
      results.push_back(result);
    }
    return results;
  }

  void check_inputs() const {
    const auto unread = std::find(is_read_.begin(), is_read_.end(), false);
    if (unread != is_read_.end()) {
      refuse_expression("no step reads input {}", unread - is_read_.begin());
    }
  }

  const Strings& ops_;
  const Integers& operands_;
  const Integers& dtypes_;
  const Reals& constants_;
  const Integers& results_;
  std::size_t inputs_;
  std::vector<bool> is_read_;  // by input
  std::size_t next_operand_ = 0;
  std::size_t next_constant_ = 0;
};

double constant_of(const Attribute& attribute) {
  if (const bool* flag = std::get_if<bool>(&attribute)) return *flag ? 1 : 0;
  return std::get<double>(attribute);
}

}  // namespace

Attributes fused_attributes(const FusedExpression& expression) {
  Strings ops;
  Integers operands;
  Integers dtypes;
  Reals constants;
  for (const FusedStep& step : expression.steps) {
    ops.emplace_back(step.op->name);
    operands.push_back(static_cast<std::int64_t>(step.operands.size()));
    for (const std::size_t value : step.operands) {
      operands.push_back(static_cast<std::int64_t>(value));
    }
    dtypes.push_back(static_cast<std::int64_t>(step.dtype));
    for (std::size_t c = 0; c < step.op->constant_count(); ++c) {
      constants.push_back(constant_of(step.attributes.at(std::string(step.op->constants[c]))));
    }
  }
  const Integers results(expression.results.begin(), expression.results.end());
  return {{"ops", ops},
          {"operands", operands},
          {"dtypes", dtypes},
          {"constants", constants},
          {"results", results}};
}

FusedExpression read_fused_expression(const Attributes& attributes, std::size_t inputs) {
  return ExpressionReader(attributes, inputs).read();
}

TensorType type_of_step(const FusedStep& step, std::size_t number,
                        const std::vector<TensorType>& values) {
  std::vector<std::vector<InferArgument>> arguments;
  for (const std::size_t value : step.operands) {
    arguments.push_back({{values[value], fmt::format("value {}", value), {}}});
  }
  TensorType type;
  try {
    InferContext inference(*step.schema, std::move(arguments), step.attributes);
    inference.run();
    type = inference.outputs().front().front();
  } catch (const Error& error) {
    throw error.within(fmt::format("[fused_elementwise] step {}", number));
  }
  if (type.dtype != step.dtype) {
    refuse_expression("step {}, {}, gives {}, and dtypes says {}", number, step.op->name,
                      dtype_name(type.dtype), dtype_name(step.dtype));
  }
  return type;
}

}  // namespace loci::ops
