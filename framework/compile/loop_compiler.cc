#include "framework/compile/loop_compiler.h"

#include <utility>

#include "framework/program/control_flow.h"

namespace loci::runtime {
namespace {

class LoopCompiler {
 public:
  LoopCompiler(const program::Operator& op, const std::vector<BlockArgument>& arguments,
               const PlanRequest& around, dispatch::KernelCache* kernels)
      : op_(op), arguments_(arguments), around_(around), kernels_(kernels) {}

  CompiledLoop compile() {
    auto step = std::make_shared<LoopStep>();
    step->scope = around_.scope;
    step->name = transfer::intern(op_.name);
    step->max_iterations = std::get<std::int64_t>(op_.attributes.at("max_iterations"));
    step->made = op_.made;
    step->value_count = program::value_count(op_);
    step->gradient_count = arguments_.size() - program::block_inputs(op_).size();
    step->body = compile_steady(*op_.blocks[1], 0, step->value_count);
    step->condition = compile_condition();
    if (op_.blocks.size() > 2) {
      step->gradient = compile_steady(*op_.blocks[2], arguments_.size() - step->gradient_count,
                                      step->gradient_count);
    }
    CompiledLoop compiled{std::move(step), {}};
    for (const BlockArgument& argument : arguments_) compiled.spaces.push_back(argument.space);
    return compiled;
  }

 private:
  // A block whose results become its arguments [first, first + count) of the next iteration.
  std::shared_ptr<const Plan> compile_steady(const program::Block& block, std::size_t first,
                                             std::size_t count) {
    const Space usual = space_of(around_.device);
    std::vector<PlanResult> results;
    for (std::size_t i = 0; i < count; ++i) {
      const BlockArgument& argument = arguments_[first + i];
      const std::string& name = block.var(block.arguments[first + i]).name;
      results.push_back(
          {transfer::intern(name), "", argument.type, argument.space.value_or(usual)});
    }
    std::shared_ptr<const Plan> plan = compile_block(block, results);
    bool is_settled = true;
    for (std::size_t i = 0; i < count; ++i) {
      BlockArgument& argument = arguments_[first + i];
      if (!argument.space) argument.space = natural_space(*plan, i).value_or(usual);
      is_settled = is_settled && results[i].space == *argument.space;
      results[i].space = *argument.space;
    }
    if (is_settled) return plan;
    warned_ = true;
    return compile_block(block, results);
  }

  std::shared_ptr<const Plan> compile_condition() {
    warned_ = false;
    // Any shape of one element will do.
    const std::vector<PlanResult> results{{"condition", "", {}, nullptr}};
    return compile_block(*op_.blocks[0], results);
  }

  // Settles where the arguments that it uses are.
  std::shared_ptr<const Plan> compile_block(const program::Block& block,
                                            const std::vector<PlanResult>& results) {
    const std::vector<BlockArgument> taken(
        arguments_.begin(),
        arguments_.begin() + static_cast<std::ptrdiff_t>(block.arguments.size()));
    const BlockRequest blocks{&block, taken, results};
    PlanRequest request;
    request.device = around_.device;
    request.options = around_.options;
    request.scope = around_.scope;
    request.memory = around_.memory;
    request.changed = around_.changed;
    request.block = &blocks;
    const bool again = warned_ && request.options.fallback == FallbackPolicy::kWarn;
    if (again) request.options.fallback = FallbackPolicy::kAllow;
    std::shared_ptr<const Plan> plan = compile_plan(request, kernels_);
    for (std::size_t i = 0; i < plan->arguments.size(); ++i) {
      const ValueId id = plan->arguments[i];
      if (id >= 0) arguments_[i].space = plan->values[static_cast<std::size_t>(id)].space;
    }
    return plan;
  }

  // Where a result is computed, if that is known before the run.
  static std::optional<Space> natural_space(const Plan& plan, std::size_t position) {
    for (const PlanFetch& fetch : plan.fetches) {
      if (fetch.position == position) {
        return plan.values[static_cast<std::size_t>(fetch.value)].space;
      }
    }
    return std::nullopt;
  }

  const program::Operator& op_;
  std::vector<BlockArgument> arguments_;
  const PlanRequest& around_;
  dispatch::KernelCache* kernels_;
  bool warned_ = false;  // of operators that fall back to the CPU
};

}  // namespace

CompiledLoop compile_loop(const program::Operator& op, const std::vector<BlockArgument>& arguments,
                          const PlanRequest& around, dispatch::KernelCache* kernels) {
  return LoopCompiler(op, arguments, around, kernels).compile();
}

}  // namespace loci::runtime
