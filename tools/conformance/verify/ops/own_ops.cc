#include "tools/conformance/verify/ops/own_ops.h"

#include <algorithm>
#include <cmath>
#include <loci/error.hpp>
#include <loci/executor.hpp>
#include <loci/program.hpp>

#include "tools/conformance/verify/ops/own_op_case.h"

namespace loci::verify {
namespace {

using conformance::Array;
using conformance::Arrays;
using conformance::Case;
using conformance::Expected;
using conformance::Real;
using conformance::Variables;

// Roundings that a kernel of a narrower dtype may make, of the largest value that it comes by; and
// those of float64, in roundoffs of Real, that differences of it have to live with.
constexpr Real kKernelRoundings = 64;
constexpr Real kSelfRoundings = 8192;

using Types = std::vector<std::pair<DType, Shape>>;

// Returns what inference says for arguments whose first extent, or none, is unknown.
Types infer(const OwnOp& op, const Case& subject, bool hides_extent) {
  const Program program;
  const ProgramGuard building(program);
  Variables inputs;
  for (std::size_t i = 0; i < subject.inputs.size(); ++i) {
    std::vector<std::int64_t> dims = subject.inputs[i].shape.dims();
    if (hides_extent && !dims.empty()) dims[0] = -1;
    inputs.push_back(data("input_" + std::to_string(i), Shape(dims), subject.inputs[i].dtype));
  }
  Types types;
  for (const Variable& output : call_own_op(op, inputs)) {
    types.emplace_back(output.dtype(), output.shape());
  }
  return types;
}

bool agree(const Shape& known, const Shape& guessed) {
  if (known.rank() != guessed.rank()) return false;
  for (int i = 0; i < known.rank(); ++i) {
    if (guessed[i] >= 0 && guessed[i] != known[i]) return false;
  }
  return true;
}

// Returns true if the op takes the arguments. Another error than a refusal of them is the check's.
bool is_taken(const OwnOp& op, const Case& subject, std::string* why) {
  try {
    infer(op, subject, /*hides_extent=*/false);
    return true;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kInvalidArgument) throw;
    *why = error.what();
    return false;
  }
}

// The cases of a dtype that the op takes.
std::vector<Case> taken_cases(const OwnOp& op, DType dtype, std::string* why) {
  std::vector<Case> taken;
  for (const Shape& shape : made_up_shapes()) {
    Case made = made_up_case(op, dtype, shape);
    if (is_taken(op, made, why)) taken.push_back(std::move(made));
  }
  return taken;
}

[[noreturn]] void skip_untaken(const OwnOp& op, const std::string& why) {
  skip(
      "{} takes none of the arguments that are made up for it, all of one shape; bring cases of "
      "your "
      "own with --cases ({})",
      op.name, why);
}

void expect_same_types(const OwnOp& op, const Case& subject, const Types& known,
                       const Types& guessed) {
  if (known.size() != guessed.size()) {
    fail("{} has {} outputs for known extents, and {} for unknown ones", op.name, known.size(),
         guessed.size());
  }
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (known[i].first == guessed[i].first && agree(known[i].second, guessed[i].second)) continue;
    fail("output {} of {} is {} {} for {}, and {} {} where the first extent is unknown", i, op.name,
         dtype_name(known[i].first), known[i].second.to_string(), subject.name(),
         dtype_name(guessed[i].first), guessed[i].second.to_string());
  }
}

Verdict check_inference(const OwnOp& op, OpsCore& core) {
  core.place();
  std::string why;
  bool any = false;
  for (const DType dtype : dtypes_of(op)) {
    const std::vector<Case> taken = taken_cases(op, dtype, &why);
    if (taken.empty() && any) {
      fail("{} takes {} by its definition, and inference refuses it for every shape: {}", op.name,
           dtype_name(dtype), why);
    }
    any = any || !taken.empty();
    for (const Case& subject : taken) {
      expect_same_types(op, subject, infer(op, subject, /*hides_extent=*/false),
                        infer(op, subject, /*hides_extent=*/true));
    }
  }
  if (!any) skip_untaken(op, why);
  return {};
}

// Computes by the op itself the results for those inputs in float64 at the place.
std::vector<Array> compute(const OwnOp& op, const Place& place, const Arrays& inputs) {
  const Program program;
  Feed feed;
  std::vector<Fetch> fetches;
  {
    const ProgramGuard building(program);
    Variables variables;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      Array input = inputs[i];
      if (is_floating(input.dtype)) input.dtype = kFloat64;
      const std::string name = "input_" + std::to_string(i);
      variables.push_back(data(name, input.shape, input.dtype));
      feed.emplace_back(name, conformance::to_tensor(input));
    }
    const Variables outputs = call_own_op(op, variables);
    fetches.assign(outputs.begin(), outputs.end());
  }
  std::vector<Array> results;
  for (const Tensor& output :
       Executor(place, CompileOptions::none(), Scope()).run(program, feed, fetches)) {
    results.push_back(conformance::to_array(output));
  }
  return results;
}

// The outputs in float64 as what has to come out, each within roundings of the largest one.
std::vector<Expected> expect_float64(const OwnOp& op, const Place& place, DType dtype,
                                     const Arrays& inputs) {
  const Real roundings = dtype == kFloat64 ? kSelfRoundings : kKernelRoundings;
  std::vector<Expected> expected;
  for (Array& output : compute(op, place, inputs)) {
    const bool floating = is_floating(output.dtype);
    Expected& one = expected.emplace_back();
    static_cast<Array&>(one) = std::move(output);
    if (!floating) continue;
    one.dtype = dtype;
    Real largest = 1;
    for (const Real value : one.values) {
      if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
    }
    one.slack.assign(one.size(), roundings * largest);
  }
  return expected;
}

bool has_float64(const OwnOp& op) { return dtypes_of(op).front() == kFloat64 && !op.updates; }

Verdict judge_together(OpsCore& core, const std::vector<Case>& cases) {
  Verdict sum;
  bool passed = false;
  for (const Case& subject : cases) {
    Verdict one = core.run(subject);
    sum.kernels.merge(one.kernels);
    passed = passed || one.outcome == Outcome::kPassed;
    if (one.outcome == Outcome::kFailed) fail("{}: {}", subject.name(), one.message);
    if (one.outcome == Outcome::kAbsent) sum = {one.outcome, one.message, sum.kernels};
  }
  if (passed) sum.outcome = Outcome::kPassed;
  return sum;
}

Verdict check_kernels(const OwnOp& op, OpsCore& core) {
  const Place& place = core.place();
  std::string why;
  std::vector<Case> cases;
  for (const DType dtype : dtypes_of(op)) {
    for (Case& subject : taken_cases(op, dtype, &why)) {
      if (has_float64(op)) {
        subject.reference = [op, place, dtype](const Arrays& inputs) {
          return expect_float64(op, place, dtype, inputs);
        };
      }
      cases.push_back(std::move(subject));
    }
  }
  if (cases.empty()) skip_untaken(op, why);
  return judge_together(core, cases);
}

Verdict check_gradient(const OwnOp& op, OpsCore& core) {
  const Place& place = core.place();
  if (!op.has_gradient) skip("{} has no gradient", op.name);
  if (!has_float64(op)) skip("{} takes no float64, which differences need", op.name);
  std::string why;
  std::vector<Case> cases = taken_cases(op, kFloat64, &why);
  if (cases.empty()) skip_untaken(op, why);
  for (Case& subject : cases) {
    for (std::size_t i = 0; i < subject.inputs.size(); ++i) {
      if (subject.inputs[i].dtype == kFloat64) subject.differentiate.push_back(i);
    }
    subject.reference = [op, place](const Arrays& inputs) {
      return expect_float64(op, place, kFloat64, inputs);
    };
  }
  return judge_together(core, cases);
}

}  // namespace

std::vector<Check> own_op_checks(const std::vector<OwnOp>& ops,
                                 const std::shared_ptr<OpsCore>& core) {
  std::vector<Check> checks;
  for (const OwnOp& op : ops) {
    const auto add = [&](const char* what, Verdict (*check)(const OwnOp&, OpsCore&)) {
      checks.push_back({fmt::format("ops/own/{}/{}", op.name, what),
                        [op, core, check] { return check(op, *core); }, op.name});
    };
    add("inference", check_inference);
    add("kernels", check_kernels);
    add("gradient", check_gradient);
  }
  return checks;
}

}  // namespace loci::verify
