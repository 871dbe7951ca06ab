// Control flow: operators that own blocks, and say which of them run and how often.
//
// The blocks of one operator take the same arguments: first the values of a loop, then what the
// blocks read from outside, "captures". Between these a scan has slices of its stacked inputs.
// "states" are those captures that a block changes in place.
#include "framework/ops/infer_context.h"
#include "framework/ops/op_registry.h"

namespace loci::ops {
namespace {

constexpr const char* kNoGraph =
    "which operators run hangs on values that the host reads in the run";

constexpr const char* kNoScanGraph = "each of its steps runs a plan of its own";

constexpr DTypeSet kPredicate{DType::kBool};
constexpr DTypeSet kIndex = kIntegers | kPredicate;

[[noreturn]] void infer_with_blocks(InferContext& ctx) {
  ctx.fail("its outputs are those of its blocks; build it with the functions of control_flow.hpp");
}

void infer_select_input(InferContext& ctx) {
  ctx.fail("its output is one of its inputs; build it with select_input()");
}

void check_limit(InferContext& ctx) {
  const auto limit = ctx.attr<std::int64_t>("max_iterations");
  if (limit < 0) {
    ctx.fail("max_iterations is {}; give a positive number, or 0 for no limit", limit);
  }
}

void infer_while(InferContext& ctx) {
  check_limit(ctx);
  for (std::size_t i = 0; i < ctx.input_count("values"); ++i) {
    ctx.set_output("outs", ctx.input("values", i), i);
  }
}

void infer_while_grad(InferContext& ctx) {
  check_limit(ctx);
  std::size_t next = 0;
  // First those of the values, which may have had other shapes before the loop than after it.
  for (std::size_t i = 0; i < ctx.input_count("values") && next < ctx.input_count("grads"); ++i) {
    if (!is_floating(ctx.input("values", i).dtype)) continue;
    ctx.set_output("outs", ctx.input("values", i), next++);
  }
  for (; next < ctx.input_count("grads"); ++next) {
    ctx.set_output("outs", ctx.input("grads", next), next);
  }
}

OpSchema controlling(std::string name, Control control) {
  return OpSchema(std::move(name)).control(control).not_capturable(kNoGraph);
}

// The rest of a schema whose slot that decides is there.
OpSchema& with_captures(OpSchema& schema) {
  return schema.input("captures", kAllDTypes, Arity::kVariadic, Residence::kEither)
      .output("outs", Arity::kVariadic)
      .updates("states", "captures", Arity::kVariadic)
      .infer(infer_with_blocks);
}

void register_branches(OpRegistry& registry) {
  OpSchema conditional = controlling("conditional_block", Control::kConditional)
                             .meaning("what its block gives if pred is true, else nothing");
  registry.add(with_captures(conditional.deciding_input("pred", kPredicate)));
  // Runs the block of the first predicate that is true, or the last block, which has none.
  OpSchema cases =
      controlling("case", Control::kCase)
          .meaning("what the block of the first predicate that is true gives, or the last block");
  registry.add(with_captures(cases.deciding_input("preds", kPredicate, Arity::kVariadic)));
  // Runs the block whose key `index` is, or the last block, which has none.
  OpSchema switches = controlling("switch_case", Control::kSwitch)
                          .meaning("what the block whose key index is gives, or the last block");
  registry.add(with_captures(
      switches.deciding_input("index", kIndex)
          .required_attr("keys", std::vector<std::int64_t>{},
                         "of the blocks but the last, which runs for any other index")));
  registry.add(controlling("select_input", Control::kSelection)
                   .meaning("x[mask]; only that one need have been computed")
                   .deciding_input("mask", kIndex)
                   .input("x", kAllDTypes, Arity::kVariadic, Residence::kEither)
                   .output("out")
                   .infer(infer_select_input));
}

void register_loops(OpRegistry& registry) {
  // While block 0 gives true, the values become what block 1 makes of them.
  OpSchema loop = controlling("while", Control::kLoop)
                      .meaning("the values as block 1 changes them while block 0 gives true");
  loop.input("values", kAllDTypes, Arity::kVariadic)
      .input("captures", kAllDTypes, Arity::kVariadic)
      .attr("max_iterations", std::int64_t{0}, "the most iterations; 0: no limit")
      .output("outs", Arity::kVariadic)
      .updates("states", "captures", Arity::kVariadic)
      .infer(infer_while);
  registry.add(loop);
  // Runs the loop anew and then, from its last iteration to the first, block 2: it makes of the
  // values before an iteration, the captures and the gradients after it those before it.
  OpSchema gradient = controlling("while_grad", Control::kLoopGradient)
                          .meaning(
                              "the gradient of a loop: runs it anew, then block 2 from its last "
                              "iteration to the first");
  gradient.input("values", kAllDTypes, Arity::kVariadic)
      .input("captures", kAllDTypes, Arity::kVariadic)
      .input("grads", kFloats, Arity::kVariadic)
      .attr("max_iterations", std::int64_t{0}, "the most iterations; 0: no limit")
      .output("outs", Arity::kVariadic)
      .infer(infer_while_grad);
  registry.add(gradient);
}

void register_scans(OpRegistry& registry) {
  OpSchema scan("scan");
  scan.control(Control::kScan).not_capturable(kNoScanGraph);
  scan.meaning(
      "the values as its block changes them from one slice of xs to the next, and what it gives "
      "for each, stacked");
  scan.input("values", kAllDTypes, Arity::kVariadic)
      .input("xs", kAllDTypes, Arity::kVariadic)
      .input("captures", kAllDTypes, Arity::kVariadic)
      .attr("length", std::int64_t{-1}, "how many steps; -1: as xs have slices")
      .attr("reverse", false, "whether the last slice is the first step")
      .output("outs", Arity::kVariadic)
      .output("ys", Arity::kVariadic)
      .updates("states", "captures", Arity::kVariadic)
      .infer(infer_with_blocks);
  registry.add(scan);
}

}  // namespace

void register_control_flow_ops(OpRegistry& registry) {
  register_branches(registry);
  register_loops(registry);
  register_scans(registry);
}

}  // namespace loci::ops
