// bra, brx, call, ret, exit, trap, brkpt and nanosleep.
#include <fmt/format.h>

#include "tools/cuda_double/ptx/instructions/type_visit.h"
#include "tools/cuda_double/ptx/run/lanes.h"
#include "tools/cuda_double/ptx/translator.h"

namespace loci::cuda_double {
namespace {

using Kind = OperandSyntax::Kind;

void trap(Warp& warp, const Instruction& /*instruction*/, LaneMask mask) {
  raise_fault(warp, FaultKind::kTrap, lowest_lane(mask), "executes a trap");
}
void do_nothing(Warp& /*warp*/, const Instruction& /*instruction*/, LaneMask /*mask*/) {}

std::string_view name_of(Translator& translator, unsigned number) {
  const OperandSyntax& operand = translator.operand(number);
  if (operand.kind != Kind::kName) translator.fail("a name is expected");
  return operand.name;
}

void translate_indexed(Translator& translator, Form form) {
  if (!form.take("idx")) form.unsupported();
  (void)form.take("uni");
  form.finish();
  translator.expect_operands(2);
  const BranchTargets* targets = translator.find_branch_targets(name_of(translator, 1));
  if (targets == nullptr) translator.fail("there is no such list of labels");
  std::vector<std::uint32_t> table;
  for (const std::string_view label : targets->labels) table.push_back(translator.label(label));
  translator.function().branch_tables.push_back(std::move(table));
  InstructionBuilder builder = translator.build(nullptr);
  builder.source(0, ScalarType::kU32).control(Control::kIndexedBranch).flow(DataFlow::kOwn);
  builder.raw().extra = &translator.function().branch_tables.back();
  builder.emit();
}

// A variable of .param, or a register.
Formal argument(Translator& translator, const OperandSyntax& operand) {
  if (operand.kind == Kind::kName) {
    if (const auto param = translator.find_param(operand.name)) return *param;
    if (const auto reg = translator.find_register(operand.name)) {
      return {reg->ref, 0, type_bytes(reg->type)};
    }
    translator.fail(fmt::format("'{}' is no argument", operand.name));
  }
  if (operand.kind == Kind::kInteger) return {translator.constant(operand.value, 4), 0, 4};
  translator.fail("an argument is a name");
}

std::vector<Formal> arguments(Translator& translator, const OperandSyntax& list) {
  std::vector<Formal> result;
  for (const OperandSyntax& part : list.parts) result.push_back(argument(translator, part));
  return result;
}

void check_sizes(Translator& translator, const std::vector<Formal>& given,
                 const std::vector<std::uint32_t>& expected, std::string_view what) {
  if (given.size() != expected.size()) {
    translator.fail(
        fmt::format("has {} {}, and {} are expected", given.size(), what, expected.size()));
  }
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (given[i].bytes == expected[i]) continue;
    translator.fail(fmt::format("{} {} has {} bytes, and {} are expected", what, i + 1,
                                given[i].bytes, expected[i]));
  }
}

}  // namespace

void translate_branch(Translator& translator, Form form) {
  if (form.name() == "brx") return translate_indexed(translator, form);
  (void)form.take("uni");
  form.finish();
  translator.expect_operands(1);
  InstructionBuilder builder = translator.build(nullptr);
  builder.raw().target = translator.label(name_of(translator, 0));
  builder.control(Control::kBranch).flow(DataFlow::kOwn).emit();
}

// "call (result), function, (arguments) {, prototype};" where results and arguments may be missing.
void translate_call(Translator& translator, Form form) {
  (void)form.take("uni");
  form.finish();
  translator.expect_operands(1, 4);
  unsigned next = 0;
  CallTarget target;
  if (translator.operand(0).kind == Kind::kList) {
    target.results = arguments(translator, translator.operand(next++));
  }
  const OperandSyntax& name = translator.operand(next++);
  if (name.kind != Kind::kName) translator.fail("the name of a function is expected");
  if (next < translator.operand_count() && translator.operand(next).kind == Kind::kList) {
    target.arguments = arguments(translator, translator.operand(next++));
  }
  InstructionBuilder builder = translator.build(nullptr);
  FunctionCode& function = translator.function();
  if (translator.find_register(name.name)) {
    builder.source(name, ScalarType::kU64);
    function.calls_indirectly = true;
  } else {
    target.callee = translator.find_function(name.name);
    if (target.callee == nullptr) {
      translator.fail(fmt::format("there is no function '{}'", name.name));
    }
    check_sizes(translator, target.arguments, target.callee->parameter_sizes, "arguments");
    check_sizes(translator, target.results, target.callee->result_sizes, "results");
    function.callees.push_back(target.callee);
  }
  function.calls.push_back(std::move(target));
  builder.raw().extra = &function.calls.back();
  builder.control(Control::kCall).flow(DataFlow::kOwn).emit();
}

void translate_end(Translator& translator, Form form) {
  const std::string_view name = form.name();
  (void)form.take("uni");
  if (name == "nanosleep") {
    form.drop_prefix("u32");
    translator.expect_operands(1);
    translator.build(do_nothing)
        .source(0, ScalarType::kU32)
        .control(Control::kYield)
        .flow(DataFlow::kOwn)
        .emit();
    return;
  }
  form.finish();
  translator.expect_operands(0);
  InstructionBuilder builder = translator.build(name == "trap" ? trap : do_nothing);
  if (name == "ret") builder.control(Control::kReturn);
  if (name == "exit") builder.control(Control::kExit);
  builder.flow(DataFlow::kOwn).emit();
}

}  // namespace loci::cuda_double
