// The rules of rows (OpSchema::batch_rule) by the conformance cases: where a rule says that an
// operator keeps rows apart, another row of what carries them leaves all other rows of every output
// as they are, to the bit. Of a sample of the cases with a sanitizer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <loci/loci.hpp>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "framework/core/sanitizer.h"
#include "framework/ops/batch_context.h"
#include "framework/ops/op_registry.h"
#include "framework/program/program_impl.h"
#include "tests/support/tested_cases.h"
#include "tools/conformance/case.h"
#include "tools/conformance/check.h"

namespace loci {
namespace {

using conformance::Case;
using program::Operator;
using program::VarId;

// An argument: the slot, and which one of it.
using Argument = std::pair<std::size_t, std::size_t>;
// Holds values by slot.
using Values = std::vector<std::vector<Tensor>>;

// Variadic slots get only so many.
constexpr std::size_t kMostCandidates = 5;

// Returns what an operator gives for these inputs, the state that it changes being a copy.
Values call(const Operator& op, const Values& inputs) {
  OpCall<Tensor> made(op.type());
  Values kept = inputs;  // the call refers to them
  for (std::size_t slot = 0; slot < inputs.size(); ++slot) {
    if (inputs[slot].empty()) continue;
    const std::string& name = op.schema->inputs()[slot].name;
    const auto& outputs = op.schema->outputs();
    const bool changes = std::any_of(outputs.begin(), outputs.end(),
                                     [&](const auto& output) { return output.updates == name; });
    for (Tensor& argument : kept[slot]) argument = changes ? clone(argument) : argument;
    made.inputs_of(name, kept[slot]);
  }
  for (const auto& [name, value] : op.attributes) made.attr(name, value);
  const TensorList results = emit_op(made);
  Values values(op.outputs.size());
  std::size_t next = 0;
  for (std::size_t slot = 0; slot < op.outputs.size(); ++slot) {
    for (std::size_t i = 0; i < op.outputs[slot].size(); ++i) {
      values[slot].push_back(results[next++]);
    }
    if (op.outputs[slot].empty() && op.schema->outputs()[slot].arity == ops::Arity::kOptional) {
      ++next;
    }
  }
  return values;
}

std::vector<std::vector<ops::InferArgument>> arguments_of(const Values& values) {
  std::vector<std::vector<ops::InferArgument>> arguments(values.size());
  for (std::size_t slot = 0; slot < values.size(); ++slot) {
    for (const Tensor& value : values[slot]) {
      arguments[slot].push_back({{value.dtype(), value.shape()}, "value", {}});
    }
  }
  return arguments;
}

std::vector<std::vector<ops::TensorType>> types_of(const Values& values) {
  std::vector<std::vector<ops::TensorType>> types(values.size());
  for (std::size_t slot = 0; slot < values.size(); ++slot) {
    for (const Tensor& value : values[slot]) types[slot].push_back({value.dtype(), value.shape()});
  }
  return types;
}

// A copy in which a row has the elements of the next one, which are as good as its own.
Tensor with_other_row(const Tensor& tensor, std::int64_t row) {
  const Tensor changed = clone(tensor).to_host();
  const std::size_t bytes = changed.bytes() / static_cast<std::size_t>(changed.shape()[0]);
  auto* data = static_cast<char*>(changed.raw_data());
  const auto at = static_cast<std::size_t>(row);
  const auto next = static_cast<std::size_t>((row + 1) % changed.shape()[0]);
  if (bytes > 0) std::memcpy(data + at * bytes, data + next * bytes, bytes);
  return changed;
}

bool same_but_for_row(const Tensor& a, const Tensor& b, std::int64_t row) {
  const auto rows = a.shape()[0];
  return (row == 0 || conformance::same_bits(a.rows(0, row), b.rows(0, row))) &&
         (row + 1 == rows || conformance::same_bits(a.rows(row + 1, rows), b.rows(row + 1, rows)));
}

// One operator with the inputs that it has in a case.
class Subject {
 public:
  Subject(const Operator& op, const Values& inputs, const Values& outputs)
      : op_(op), inputs_(inputs), outputs_(outputs) {}

  // Checks all ways in which inputs may carry rows; returns whether there is one that is checked.
  bool check() const {
    bool checked = false;
    for (const std::vector<Argument>& carrying : choices()) {
      ops::InferContext types(*op_.schema, arguments_of(inputs_), op_.attributes);
      types.set_outputs(types_of(outputs_));
      ops::BatchContext rows(types, flags(carrying));
      if (!ops::is_batch_independent(rows)) continue;
      const std::int64_t count = at(inputs_, carrying.front()).shape()[0];
      for (const std::int64_t row : {std::int64_t{0}, count - 1}) {
        checked = check_row(rows, carrying, row) || checked;
      }
    }
    return checked;
  }

 private:
  static const Tensor& at(const Values& values, const Argument& argument) {
    return values[argument.first][argument.second];
  }

  // Inputs with several rows, as many as the first of them has.
  [[nodiscard]] std::vector<std::vector<Argument>> choices() const {
    std::vector<Argument> candidates;
    for (std::size_t slot = 0; slot < inputs_.size(); ++slot) {
      for (std::size_t i = 0; i < inputs_[slot].size(); ++i) {
        const Shape& shape = inputs_[slot][i].shape();
        const bool fits = shape.rank() > 0 && shape[0] > 1 && candidates.size() < kMostCandidates;
        if (fits) candidates.emplace_back(slot, i);
      }
    }
    std::vector<std::vector<Argument>> result;
    for (std::size_t set = 1; set < (std::size_t{1} << candidates.size()); ++set) {
      result.emplace_back();
      for (std::size_t i = 0; i < candidates.size(); ++i) {
        if ((set >> i & 1) != 0) result.back().push_back(candidates[i]);
      }
    }
    return result;
  }

  [[nodiscard]] std::vector<std::vector<ops::Carried>> flags(
      const std::vector<Argument>& carrying) const {
    std::vector<std::vector<ops::Carried>> flags(inputs_.size());
    for (std::size_t slot = 0; slot < inputs_.size(); ++slot) {
      flags[slot].resize(inputs_[slot].size());
    }
    for (const auto& [slot, i] : carrying) flags[slot][i] = ops::Carried::kGivenRows;
    return flags;
  }

  // Returns whether the row is another one now, or only shapes are read.
  bool check_row(const ops::BatchContext& rows, const std::vector<Argument>& carrying,
                 std::int64_t row) const {
    Values changed = inputs_;
    bool differs = false;
    for (const auto& [slot, i] : carrying) {
      changed[slot][i] = with_other_row(inputs_[slot][i], row);
      differs = differs || !conformance::same_bits(changed[slot][i], inputs_[slot][i]) ||
                op_.schema->inputs()[slot].residence == ops::Residence::kMetadata;
    }
    const Values got = call(op_, changed);
    for (std::size_t slot = 0; slot < got.size(); ++slot) {
      for (std::size_t i = 0; i < got[slot].size(); ++i) {
        const bool same = rows.is_whole(slot)
                              ? conformance::same_bits(got[slot][i], outputs_[slot][i])
                              : same_but_for_row(got[slot][i], outputs_[slot][i], row);
        EXPECT_TRUE(same) << op_.type() << ": output " << op_.schema->outputs()[slot].name
                          << " hangs on row " << row << " of other rows";
      }
    }
    return differs;
  }

  const Operator& op_;
  const Values& inputs_;
  const Values& outputs_;
};

// The program of a case, and what its inputs are.
struct Prepared {
  Program program;
  std::map<VarId, Tensor> values;
};

// So that the ops of gradients are there too.
void add_gradients(const Case& subject, const conformance::Variables& inputs,
                   const conformance::Variables& outputs) {
  conformance::Variables targets;
  for (const std::size_t i : subject.differentiate) {
    if (is_floating(inputs[i].dtype())) targets.push_back(inputs[i]);
  }
  for (const Variable& output : outputs) {
    const bool is_differentiable = is_floating(output.dtype()) && output.shape().is_static();
    if (targets.empty() || !is_differentiable) continue;
    (void)gradients(reduce_sum(elementwise_mul(output, output)), targets);
  }
}

Prepared prepare(const Case& subject) {
  Prepared prepared;
  const ProgramGuard building(prepared.program);
  conformance::Variables inputs;
  const conformance::Arrays arrays = subject.make_inputs();
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const std::string name = "input_" + std::to_string(i);
    inputs.push_back(subject.inputs[i].state ? create_persistable(arrays[i].shape, arrays[i].dtype,
                                                                  initializer::constant(0), name)
                                             : data(name, arrays[i].shape, arrays[i].dtype));
    inputs.back().set_stop_gradient(false);
    prepared.values[inputs.back().id()] = conformance::to_tensor(arrays[i]);
  }
  add_gradients(subject, inputs, subject.build(inputs));
  const VarId state = prepared.program.impl()->main().find(program::kRandomStateName);
  if (state != program::kNoVar) {
    prepared.values[state] = Tensor::from<std::uint64_t>({5, 1}, Shape{2});
  }
  return prepared;
}

// Adds the ops that were checked.
void check_case(const Case& subject, std::set<std::string>* checked) {
  Prepared prepared = prepare(subject);
  for (const Operator& op : prepared.program.impl()->main().ops) {
    Values inputs(op.inputs.size());
    for (std::size_t slot = 0; slot < inputs.size(); ++slot) {
      for (const VarId id : op.inputs[slot]) inputs[slot].push_back(prepared.values.at(id));
    }
    const Values outputs = call(op, inputs);
    for (std::size_t slot = 0; slot < outputs.size(); ++slot) {
      for (std::size_t i = 0; i < outputs[slot].size(); ++i) {
        prepared.values[op.outputs[slot][i]] = outputs[slot][i];
      }
    }
    if (op.schema->batch_rule() == nullptr) continue;
    if (Subject(op, inputs, outputs).check()) checked->insert(op.type());
  }
}

// Once for each family.
const std::set<std::string>& checked_ops(const std::string& family) {
  static std::map<std::string, std::set<std::string>> known;
  const auto [entry, is_new] = known.try_emplace(family);
  if (!is_new) return entry->second;
  const NoGrad scope;
  for (const Case& subject : test::tested_cases().cases()) {
    if (subject.family != family) continue;
    SCOPED_TRACE(subject.name());
    check_case(subject, &entry->second);
  }
  return entry->second;
}

std::vector<std::string> families() {
  std::set<std::string> names;
  for (const Case& subject : test::tested_cases().cases()) names.insert(subject.family);
  return {names.begin(), names.end()};
}

class RowConformance : public ::testing::TestWithParam<std::string> {};

TEST_P(RowConformance, OtherRowsStayAsTheyAre) { (void)checked_ops(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Families, RowConformance, ::testing::ValuesIn(families()),
                         [](const auto& family) { return family.param; });

// An op that makes something without inputs on the device has no row to change.
bool has_rows_to_change(const ops::OpSchema& schema) {
  return std::any_of(
      schema.inputs().begin(), schema.inputs().end(),
      [](const ops::InputSlot& slot) { return slot.residence != ops::Residence::kHost; });
}

TEST(RowConformanceTest, EveryRuleIsChecked) {
#if defined(LOCI_ASAN) || defined(LOCI_TSAN)
  GTEST_SKIP() << "a sample of the cases does not have all ops";
#endif
  std::set<std::string> checked;
  for (const std::string& family : families()) checked.merge(std::set(checked_ops(family)));
  for (const std::string& name : ops::op_registry().names()) {
    const ops::OpSchema& schema = ops::op_registry().get(name);
    if (schema.batch_rule() == nullptr || !has_rows_to_change(schema)) continue;
    EXPECT_EQ(checked.count(name), 1U) << "no case of " << name << " keeps rows apart; add one";
  }
}

}  // namespace
}  // namespace loci
