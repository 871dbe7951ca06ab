#include "framework/planning/loop_compiler.h"

#include <utility>

#include "framework/core/raise.h"
#include "framework/planning/control_lowering.h"
#include "framework/program/control_flow.h"
#include "framework/program/printer.h"

namespace loci::planning {
namespace {

using execution::LoopStep;
using execution::Plan;
using execution::PlanFetch;
using execution::PlanResult;
using execution::Space;
using execution::space_of;
using execution::ValueId;

class LoopCompiler {
 public:
  LoopCompiler(const program::Operator& op, const std::vector<BlockArgument>& arguments,
               const PlanRequest& around, dispatch::KernelCache* kernels)
      : op_(op), arguments_(arguments), around_(around), kernels_(kernels) {}

  CompiledLoop compile() {
    auto step = std::make_shared<LoopStep>();
    step->scope = around_.scope;
    step->name = transfer::intern(op_.name);
    step->value_count = program::value_count(op_);
    is(op_, ops::Control::kScan) ? compile_scan(step.get()) : compile_while(step.get());
    CompiledLoop compiled{std::move(step), {}};
    for (const BlockArgument& argument : arguments_) compiled.spaces.push_back(argument.space);
    return compiled;
  }

 private:
  void compile_while(LoopStep* step) {
    step->max_iterations = std::get<std::int64_t>(op_.attributes.at("max_iterations"));
    step->made = op_.made;
    step->gradient_count = arguments_.size() - program::block_inputs(op_).size();
    step->body = compile_steady(*op_.blocks[1], 0, step->value_count, {});
    step->condition = compile_condition();
    if (op_.blocks.size() > 2) {
      step->gradient = compile_steady(*op_.blocks[2], arguments_.size() - step->gradient_count,
                                      step->gradient_count, {});
    }
  }

  void compile_scan(LoopStep* step) {
    step->is_reverse = std::get<bool>(op_.attributes.at("reverse"));
    for (std::size_t i = 0; i < op_.inputs[1].size(); ++i) {
      step->slices.push_back(bytes_of(arguments_[step->value_count + i].type));
    }
    const std::vector<ops::TensorType> parts = parts_of(*op_.blocks[0], step->value_count);
    for (const ops::TensorType& part : parts) step->parts.push_back(bytes_of(part));
    step->body = compile_steady(*op_.blocks[0], 0, step->value_count, parts);
  }

  static std::uint64_t bytes_of(const ops::TensorType& type) {
    return static_cast<std::uint64_t>(type.shape.numel()) * dtype_size(type.dtype);
  }

  // The types of what a step of a scan gives for its stacked outputs.
  [[nodiscard]] std::vector<ops::TensorType> parts_of(const program::Block& block,
                                                      std::size_t first) const {
    std::vector<ops::TensorType> given;
    for (const BlockArgument& argument : arguments_) given.push_back(argument.type);
    std::vector<ops::TensorType> parts = program::result_types(block, given);
    parts.erase(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(first));
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (parts[i].shape.is_static()) continue;
      core::raise(ErrorCode::kInvalidArgument,
                  "[scan] {} gives {} for its stacked output {}, an extent of which hangs on "
                  "values; give it a fixed one, by padding with a count beside it",
                  op_.name, program::type_text(parts[i]), i);
    }
    return parts;
  }

  // A block whose results become its arguments [first, first + count) of the next iteration; those
  // of the types `parts` are none.
  std::shared_ptr<const Plan> compile_steady(const program::Block& block, std::size_t first,
                                             std::size_t count,
                                             const std::vector<ops::TensorType>& parts) {
    const Space usual = space_of(around_.device);
    std::vector<PlanResult> results;
    for (std::size_t i = 0; i < count; ++i) {
      const BlockArgument& argument = arguments_[first + i];
      const std::string& name = block.var(block.arguments[first + i]).name;
      results.push_back(
          {transfer::intern(name), "", argument.type, argument.space.value_or(usual)});
    }
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const program::VarId id = block.results[count + i];
      results.push_back({transfer::intern(block.var(id).name), "", parts[i], usual});
    }
    std::shared_ptr<const Plan> plan = compile_block(block, results);
    bool is_settled = true;
    for (std::size_t i = count; i < results.size(); ++i) {
      const Space natural = natural_space(*plan, i).value_or(usual);
      is_settled = is_settled && results[i].space == natural;
      results[i].space = natural;
    }
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
    PlanRequest request = block_request(around_, blocks);
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

}  // namespace loci::planning
