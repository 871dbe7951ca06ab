#include "framework/program/scan.h"

#include <algorithm>
#include <string>
#include <variant>

#include "framework/core/raise.h"
#include "framework/program/control_flow.h"
#include "framework/program/printer.h"
#include "framework/program/verifier.h"

namespace loci::program {
namespace {

using Types = std::vector<ops::TensorType>;

constexpr std::size_t kStackedSlot = 1;

template <class... Args>
[[noreturn]] void fail(const Operator& op, fmt::format_string<Args...> format, Args&&... args) {
  core::raise(ErrorCode::kInvalidArgument, "[scan]{}{} {}", op.name.empty() ? "" : " ", op.name,
              fmt::format(format, std::forward<Args>(args)...));
}

const Slot& stacked_inputs(const Operator& op) { return op.inputs[kStackedSlot]; }

// Its slices would be read while they change.
void check_state(const Block& around, const Operator& op) {
  const std::vector<VarId> changed = changed_states(op);
  for (const VarId id : stacked_inputs(op)) {
    if (std::find(changed.begin(), changed.end(), id) == changed.end()) continue;
    fail(op, "takes slices of '{}', which its block changes in place; give it a copy, by assign()",
         around.var(id).name);
  }
}

void check_values(const Block& around, const Operator& op, const Types& given,
                  const Types& results) {
  const Slot& values = op.inputs.front();
  if (results.size() < values.size()) {
    fail(op, "has {} value(s), but its body gives {}; give the next one of each", values.size(),
         results.size());
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (is_known(results[i]) && compatible(results[i], given[i])) continue;
    fail(op,
         "makes '{}' {}, but it is {} at first; the values of a scan keep dtype and shape, and "
         "what grows is carried by while_loop()",
         around.var(values[i]).name, is_known(results[i]) ? type_text(results[i]) : "any type",
         type_text(given[i]));
  }
}

}  // namespace

ops::TensorType slice_type(const ops::TensorType& stacked) {
  std::vector<std::int64_t> dims = stacked.shape.dims();
  dims.erase(dims.begin());
  return {stacked.dtype, Shape(dims)};
}

ops::TensorType stacked_type(std::int64_t steps, const ops::TensorType& slice) {
  std::vector<std::int64_t> dims = slice.shape.dims();
  dims.insert(dims.begin(), steps);
  return {slice.dtype, Shape(dims)};
}

Types scan_arguments(const Operator& op, const Types& inputs) {
  Types arguments = inputs;
  const std::size_t first = value_count(op);
  for (std::size_t i = first; i < first + stacked_inputs(op).size(); ++i) {
    if (inputs[i].shape.rank() == 0) {
      fail(op, "takes slices of a {}, which has no dimension; give one whose first is the steps",
           type_text(inputs[i]));
    }
    arguments[i] = slice_type(inputs[i]);
  }
  return arguments;
}

std::int64_t scan_steps(const Block& around, const Operator& op, const Types& inputs) {
  const Slot& stacked = stacked_inputs(op);
  const auto length = std::get<std::int64_t>(op.attributes.at("length"));
  if (length < -1) fail(op, "has the length {}; give a number of steps", length);
  if (length < 0 && stacked.empty()) {
    fail(op, "has neither stacked inputs nor a length; give one of them");
  }
  std::int64_t steps = length < 0 ? kDynamicDim : length;
  std::string told_by = "the length";
  for (std::size_t i = 0; i < stacked.size(); ++i) {
    const std::int64_t extent = inputs[value_count(op) + i].shape[0];
    if (extent == kDynamicDim) continue;
    const std::string name = fmt::format("'{}'", around.var(stacked[i]).name);
    if (steps != kDynamicDim && steps != extent) {
      fail(op, "has {} steps by {}, but {} by {}; stacked inputs have one first extent", steps,
           told_by, extent, name);
    }
    steps = extent;
    told_by = name;
  }
  return steps;
}

std::vector<Types> scan_types(const Block& around, const Operator& op, const Types& inputs) {
  if (op.blocks.size() != 1) fail(op, "has {} blocks instead of 1", op.blocks.size());
  const Block& body = *op.blocks.front();
  if (body.arguments.size() != inputs.size()) {
    fail(op, "has a block that takes {} argument(s), but it gets {}", body.arguments.size(),
         inputs.size());
  }
  check_state(around, op);
  const Types given = scan_arguments(op, inputs);
  for (std::size_t i = 0; i < given.size(); ++i) {
    const VarDesc& taken = body.var(body.arguments[i]);
    if (compatible(given[i], taken.type)) continue;
    fail(op, "has a block that takes '{}' as {}, but it gets {}", taken.name, type_text(taken.type),
         type_text(given[i]));
  }
  if (repeats_draws(op)) fail(op, kRepeatsDraws);
  const std::int64_t steps = scan_steps(around, op, inputs);
  const Types results = result_types(body, given);
  check_values(around, op, given, results);
  const std::size_t count = value_count(op);
  Types stacked;
  for (std::size_t i = count; i < results.size(); ++i) {
    if (!is_known(results[i])) {
      fail(op, "gives, as stacked output {}, what has no one dtype and rank", i - count);
    }
    stacked.push_back(stacked_type(steps, results[i]));
  }
  Types states;
  for (const VarId id : changed_states(op)) states.push_back(around.var(id).type);
  return {Types(inputs.begin(), inputs.begin() + static_cast<std::ptrdiff_t>(count)), stacked,
          states};
}

}  // namespace loci::program
