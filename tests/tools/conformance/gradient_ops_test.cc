// Compares what schemas say of the ops in their gradients with the gradients of all cases.
#include <gtest/gtest.h>

#include <algorithm>
#include <loci/error.hpp>
#include <loci/program.hpp>
#include <map>
#include <set>
#include <string>

#include "framework/ops/op_registry.h"
#include "framework/program/program_impl.h"
#include "tests/support/gradient_probe.h"
#include "tools/conformance/case.h"

namespace loci::conformance {
namespace {

using OpNames = std::set<std::string>;

// Gradient ops that only the cases of their forward ops run.
const OpNames kWithoutCase{"concat_grad", "crop_tensor_grad", "slice_grad", "tile_grad"};

// Returns "matmul" of "%0 = matmul(x: d_out, y: y)".
std::string called_op(const std::string& call) {
  const std::size_t begin = call.find("= ") + 2;
  return call.substr(begin, call.find('(') - begin);
}

std::string argument_name(const std::string& slot, std::size_t index) {
  return index == 0 ? slot : slot + std::to_string(index);
}

// Which outputs have gradients: statistics besides the first have none that can be written.
enum class Reached { kAll, kFirst };

OpNames ops_in_gradient(const program::Block& block, const program::Operator& op, Reached reached) {
  test_support::GradientProbe probe(op.type());
  for (std::size_t slot = 0; slot < op.inputs.size(); ++slot) {
    const std::string& name = op.schema->inputs()[slot].name;
    for (std::size_t i = 0; i < op.inputs[slot].size(); ++i) {
      const ops::TensorType& type = block.var(op.inputs[slot][i]).type;
      probe.with(name, type.shape, type.dtype);
      if (!is_floating(type.dtype)) probe.unwanted(argument_name(name, i));
    }
  }
  for (std::size_t slot = 0; slot < op.outputs.size(); ++slot) {
    const std::string& name = op.schema->outputs()[slot].name;
    for (std::size_t i = 0; i < op.outputs[slot].size(); ++i) {
      const DType dtype = block.var(op.outputs[slot][i]).type.dtype;
      const bool is_reached = reached == Reached::kAll || (slot == 0 && i == 0);
      if (!is_floating(dtype) || !is_reached) probe.no_output_grad(argument_name(name, i));
    }
  }
  for (const auto& [name, value] : op.attributes) probe.attr(name, value);
  OpNames names;
  for (const std::string& call : probe.run().calls()) names.insert(called_op(call));
  return names;
}

// Returns true if a gradient can reach it: it has a floating output of a floating input.
bool carries_gradients(const program::Block& block, const program::Operator& op) {
  const auto floats = [&](const std::vector<program::Slot>& slots) {
    return std::any_of(slots.begin(), slots.end(), [&](const program::Slot& slot) {
      return std::any_of(slot.begin(), slot.end(),
                         [&](program::VarId id) { return is_floating(block.var(id).type.dtype); });
    });
  };
  return floats(op.inputs) && floats(op.outputs);
}

Program program_of(const Case& subject) {
  Program program;
  const ProgramGuard building(program);
  Variables variables;
  for (std::size_t i = 0; i < subject.inputs.size(); ++i) {
    const Input& input = subject.inputs[i];
    const std::string name = "input_" + std::to_string(i);
    variables.push_back(
        input.state ? create_persistable(input.shape, input.dtype, initializer::constant(0), name)
                    : data(name, input.shape, input.dtype));
  }
  (void)subject.build(variables);
  return program;
}

void add_case(const Case& subject, std::map<std::string, OpNames>* found) {
  const Program program = program_of(subject);
  const program::Block& block = program.impl()->main();
  for (const program::Operator& op : block.ops) {
    if (!op.schema->gradient_fn() || !op.schema->is_differentiable()) continue;
    if (!carries_gradients(block, op)) continue;
    OpNames& names = (*found)[op.type()];
    for (const Reached reached : {Reached::kAll, Reached::kFirst}) {
      try {
        names.merge(ops_in_gradient(block, op, reached));
        break;
      } catch (const Error& error) {
        // Some attributes, and some outputs, have no gradient.
        if (error.code() != ErrorCode::kUnsupported) throw;
      }
    }
  }
}

TEST(GradientOpsTest, SchemasNameWhatGradientsConsistOf) {
  std::map<std::string, OpNames> found;
  const Suite suite = all_cases();
  for (const Case& subject : suite.cases()) add_case(subject, &found);
  ASSERT_GT(found.size(), 50U);
  for (const std::string& name : ops::op_registry().names()) {
    const ops::OpSchema& schema = ops::op_registry().get(name);
    if (!schema.gradient_fn() || !schema.is_differentiable()) continue;
    const OpNames stated(schema.gradient_ops().begin(), schema.gradient_ops().end());
    if (found.count(name) == 0) {
      EXPECT_EQ(kWithoutCase.count(name), 1U) << name << " has a gradient and no case";
      continue;
    }
    EXPECT_EQ(stated, found[name]) << name << ": say them with gradient_uses()";
    EXPECT_TRUE(std::is_sorted(schema.gradient_ops().begin(), schema.gradient_ops().end())) << name;
  }
}

}  // namespace
}  // namespace loci::conformance
