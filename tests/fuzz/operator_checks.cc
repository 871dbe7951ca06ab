#include "tests/fuzz/operator_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <loci/error.hpp>

#include "framework/program/printer.h"
#include "tests/fuzz/memory_meter.h"
#include "tests/fuzz/operator_program.h"

namespace loci::fuzz {
namespace {

// Inference may hold so much at once: no attribute says how much that is, but some say how many
// outputs there are.
constexpr std::size_t kMostInferenceBytes = std::size_t{1} << 20;
constexpr std::size_t kMostBytesPerOutput = 512;
constexpr std::int64_t kMostElements = 4096;

// An extent that comes from values at random may ask for more memory than there is.
bool may_lack_memory(const OperatorCase& subject, const Error& error) {
  const auto& slots = subject.schema->outputs();
  return error.code() == ErrorCode::kOutOfMemory &&
         std::any_of(slots.begin(), slots.end(), [](const ops::OutputSlot& slot) {
           return slot.extent == ops::Extent::kHostValues;
         });
}

// Runs `step`, and says whether it returned. Throws Violation for an error that is not allowed.
bool returns(const OperatorCase& subject, const std::function<void()>& step) {
  try {
    step();
    return true;
  } catch (const Error& error) {
    if (may_lack_memory(subject, error)) return false;
    const bool of_the_caller =
        error.code() == ErrorCode::kInvalidArgument || error.code() == ErrorCode::kUnsupported;
    const std::string_view what = error.what();
    const bool named = what.rfind(fmt::format("[{}]", subject.schema->name()), 0) == 0;
    if (of_the_caller && named) return false;
    throw Violation(fmt::format("{}: {}", error_code_name(error.code()), what));
  } catch (const Violation&) {
    throw;
  } catch (const std::exception& error) {
    throw Violation(fmt::format("no loci::Error: {}", error.what()));
  }
}

bool is_static(const Types& types) {
  return std::all_of(types.begin(), types.end(), [](const auto& slot) {
    return std::all_of(slot.begin(), slot.end(),
                       [](const ops::TensorType& type) { return type.shape.is_static(); });
  });
}

std::size_t count_types(const std::optional<Types>& types) {
  std::size_t count = 0;
  if (types) {
    for (const auto& slot : *types) count += slot.size();
  }
  return count;
}

std::vector<std::vector<ops::InferArgument>> arguments_of(const OperatorCase& subject) {
  std::vector<std::vector<ops::InferArgument>> arguments;
  for (const auto& slot : subject.inputs) {
    auto& of_slot = arguments.emplace_back();
    for (const ops::TensorType& type : slot) of_slot.push_back({type, "v", Tensor()});
  }
  return arguments;
}

void check_output(const ops::OutputSlot& slot, const ops::TensorType& type, bool all_known) {
  if (!ops::kAllDTypes.contains(type.dtype)) {
    throw Violation(fmt::format("output '{}' has no dtype", slot.name));
  }
  for (const std::int64_t extent : type.shape) {
    const bool may_be_unknown = !all_known || slot.extent == ops::Extent::kHostValues;
    if (extent >= 0 || (extent == kDynamicDim && may_be_unknown)) continue;
    throw Violation(fmt::format("output '{}' is {}", slot.name, program::type_text(type)));
  }
}

void check_outputs(const ops::InferContext& context, bool all_known) {
  const auto& slots = context.schema().outputs();
  for (std::size_t i = 0; i < slots.size(); ++i) {
    for (const ops::TensorType& type : context.bounds()[i]) {
      check_output(slots[i], type, all_known);
    }
  }
  if (!all_known || !is_static(context.bounds())) return;
  const ops::Cost cost = context.schema().cost_fn()(context);
  if (cost.flops < 0 || cost.bytes < 0) {
    throw Violation(fmt::format("the cost is {} flops and {} bytes", cost.flops, cost.bytes));
  }
}

}  // namespace

bool is_small(const Types& types) {
  std::int64_t elements = 0;
  for (const auto& slot : types) {
    for (const ops::TensorType& type : slot) {
      if (!type.shape.is_static()) return false;
      std::int64_t of_one = 1;
      // An empty one is small, however large its other extents are.
      for (const std::int64_t extent : type.shape) {
        if (extent == 0) of_one = 0;
      }
      for (const std::int64_t extent : type.shape) {
        if (of_one * (extent > kMostElements ? kMostElements + 1 : extent) > kMostElements) {
          return false;
        }
        of_one *= of_one == 0 ? 0 : extent;
      }
      elements += of_one;
    }
  }
  return elements <= kMostElements;
}

std::optional<Types> check_inference(const OperatorCase& subject) {
  std::optional<Types> bounds;
  const MemoryMeter meter;
  returns(subject, [&] {
    const Attributes attributes = subject.schema->complete(subject.attributes);
    ops::InferContext context(*subject.schema, arguments_of(subject), attributes);
    context.run();
    check_outputs(context, is_static(subject.inputs));
    bounds = context.bounds();
  });
  if (meter.peak() > kMostInferenceBytes + kMostBytesPerOutput * count_types(bounds)) {
    throw Violation(fmt::format("inference held {} bytes at once", meter.peak()));
  }
  return bounds;
}

bool check_run(const OperatorCase& subject, Dice& dice) {
  return returns(subject, [&] { run_on_cpu(subject, dice); });
}

}  // namespace loci::fuzz
