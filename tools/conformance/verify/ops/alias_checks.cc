#include "tools/conformance/verify/ops/alias_checks.h"

#include <algorithm>
#include <loci/error.hpp>
#include <loci/executor.hpp>
#include <optional>

#include "tools/conformance/verify/launch/launch_traps.h"

namespace loci::verify {
namespace {

using conformance::Case;
using conformance::Input;
using conformance::Suite;
using conformance::Variables;

// The inputs have so many bytes together: with an output as large it is more than is rehearsed in
// all ways, and less than kMostAliasBytes.
constexpr std::uint64_t kInputBytes = std::uint64_t{600} << 10;
// One op has at most so many cases; they differ in what their attributes ask for.
constexpr int kMostCases = 6;

std::uint64_t bytes_of(const std::vector<Input>& inputs, std::int64_t factor) {
  std::uint64_t bytes = 0;
  for (const Input& input : inputs) {
    std::uint64_t own = dtype_size(input.dtype);
    for (const std::int64_t extent : input.shape.dims()) {
      own *= static_cast<std::uint64_t>(extent * factor);
    }
    bytes += own;
  }
  return bytes;
}

// Extents that no tile divides.
std::int64_t factor_for(const std::vector<Input>& inputs) {
  std::int64_t factor = 1;
  while (bytes_of(inputs, factor + 2) <= kInputBytes) factor += 2;
  return factor;
}

Case enlarged(const Case& small) {
  Case large = small;
  const std::int64_t factor = factor_for(small.inputs);
  for (Input& input : large.inputs) {
    std::vector<std::int64_t> dims = input.shape.dims();
    for (std::int64_t& extent : dims) extent *= factor;
    input.shape = Shape(dims);
  }
  return large;
}

std::uint64_t bytes_of(const Variable& variable) {
  return static_cast<std::uint64_t>(variable.shape().numel()) * dtype_size(variable.dtype());
}

// A program of the case alone. Nothing where the case cannot be so large, or no output is as large
// as an input.
struct LargeProgram {
  Program program;
  Feed feed;
  std::vector<Fetch> fetches;
};

std::optional<LargeProgram> build(const Case& large) {
  LargeProgram made;
  const conformance::Arrays values = large.make_inputs();
  try {
    const ProgramGuard building(made.program);
    Variables inputs;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::string name = fmt::format("input_{}", i);
      inputs.push_back(data(name, values[i].shape, values[i].dtype));
      made.feed.emplace_back(name, conformance::to_tensor(values[i]));
    }
    const Variables outputs = large.build(inputs);
    made.fetches.assign(outputs.begin(), outputs.end());
    for (const Variable& output : outputs) {
      const bool fits = std::any_of(inputs.begin(), inputs.end(), [&](const Variable& input) {
        return bytes_of(input) == bytes_of(output);
      });
      if (fits) return made;
    }
  } catch (const Error&) {  // its attributes are for the extents of the small case
  }
  return {};
}

// Results are the matter of other checks, and not each case can be so large.
void run(const LargeProgram& large, const Place& place) {
  CompileOptions options = CompileOptions::none();
  options.fallback = FallbackPolicy::kError;
  try {
    static_cast<void>(
        Executor(place, options, Scope()).run(large.program, large.feed, large.fetches));
  } catch (const Error& error) {
    if (error.code() == ErrorCode::kDeviceLost) throw;
  }
}

bool can_be_enlarged(const Case& one) {
  return !one.inputs.empty() && !one.random &&
         std::all_of(one.inputs.begin(), one.inputs.end(), [](const Input& input) {
           return !input.state && input.shape.numel() > 0 && input.shape.rank() > 0;
         });
}

bool has_float32(const Case* one) { return one->inputs[0].dtype == kFloat32; }

// Those of float32, if there are some, or all of another dtype.
std::vector<const Case*> cases_of(const Suite& suite, const std::string& op) {
  std::vector<const Case*> cases;
  for (const Case& one : suite.cases()) {
    if (one.op == op && can_be_enlarged(one)) cases.push_back(&one);
  }
  const bool any = std::any_of(cases.begin(), cases.end(), has_float32);
  const auto others = std::stable_partition(cases.begin(), cases.end(), has_float32);
  if (any) cases.erase(others, cases.end());
  return cases;
}

Verdict run_op(OpsCore& core, const Suite& suite, const std::string& op) {
  const Place& place = core.place();
  return core.watch([&]() -> Verdict {
    int done = 0;
    for (const Case* small : cases_of(suite, op)) {
      const std::optional<LargeProgram> large = build(enlarged(*small));
      if (!large) continue;
      run(*large, place);
      if (++done == kMostCases) break;
    }
    if (aliases_tried(op).empty()) {
      return {
          Outcome::kSkipped,
          fmt::format("no case of {} has an output as large as the input whose memory it may take",
                      op)};
    }
    return {};
  });
}

}  // namespace

std::vector<Check> alias_checks(const std::shared_ptr<OpsCore>& core,
                                const std::shared_ptr<const Suite>& suite, const Brought& brought) {
  std::vector<Check> checks;
  for (const std::string& op : brought.alias_ops) {
    checks.push_back(
        {"ops/aliases/" + op, [core, suite, op] { return run_op(*core, *suite, op); }});
  }
  return checks;
}

}  // namespace loci::verify
