#include "tools/conformance/verify/ops/layout_checks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <loci/error.hpp>
#include <loci/executor.hpp>
#include <loci/inspect.hpp>
#include <loci/ops.hpp>
#include <set>
#include <string>

#include "tools/conformance/check.h"
#include "tools/conformance/runner.h"

namespace loci::verify {
namespace {

using conformance::Case;
using conformance::Suite;
using Ops = std::set<std::string>;

// An op so that it leaves finite numbers as they are, but for the sign of 0.
struct Identity {
  std::string op;
  Variable (*apply)(const Variable& x);
  bool is_of_images = false;
  // NaN, infinities and -0 too.
  bool keeps_all = true;
};

Variable pooled_by_one(const Variable& x) {
  Pool2dOptions options;
  options.ksize = {1, 1};
  options.strides = {1, 1};
  return pool2d(x, options);
}

// Convolves by large filters that take their middle: small ones are computed without layouts.
Variable convolved_by_one(const Variable& x) {
  constexpr std::int64_t kExtent = 7;
  constexpr std::int64_t kWindow = kExtent * kExtent;
  const std::int64_t channels = x.shape()[1];
  std::vector<float> elements(static_cast<std::size_t>(channels * channels * kWindow));
  for (std::int64_t i = 0; i < channels; ++i) {
    elements[static_cast<std::size_t>(i * (channels + 1) * kWindow + kWindow / 2)] = 1;
  }
  Conv2dOptions options;
  options.paddings = {kExtent / 2, kExtent / 2};
  const Shape shape{channels, channels, kExtent, kExtent};
  return conv2d(x, cast(assign_value(elements, shape), x.dtype()), options);
}

const std::vector<Identity>& identities() {
  static const std::vector<Identity> all = {
      {"pool2d", pooled_by_one, true},
      {"conv2d", convolved_by_one, true, false},
      {"scale", [](const Variable& x) { return scale(x, 1.0); }},
      {"assign", [](const Variable& x) { return assign(x); }},
      {"elementwise_max", [](const Variable& x) { return elementwise_max(x, x); }},
      {"elementwise_min", [](const Variable& x) { return elementwise_min(x, x); }},
  };
  return all;
}

bool takes(const Identity& identity, const Shape& shape) {
  return !identity.is_of_images || shape.rank() == 4;
}

std::vector<Identity> identities_among(const Ops& ops) {
  std::vector<Identity> found;
  std::copy_if(identities().begin(), identities().end(), std::back_inserter(found),
               [&](const Identity& one) { return ops.count(one.op) > 0; });
  return found;
}

// Odd ones, of one element, and without any.
const std::vector<Shape>& shapes() {
  static const std::vector<Shape> all = {
      {1},           {7},           {64},          {0},
      {3, 5},        {2, 3, 4, 4},  {1, 5, 7, 9},  {3, 1, 2, 5},
      {2, 17, 1, 3}, {1, 16, 8, 8}, {2, 8, 1, 1},  {1, 33, 5, 2},
      {0, 3, 4, 4},  {1, 64, 3, 7}, {5, 7, 11, 1}, {1, 32, 12, 12},
      {2, 19, 9, 13}};
  return all;
}

Tensor whole_numbers(const Shape& shape, DType dtype) {
  std::vector<float> elements(static_cast<std::size_t>(shape.numel()));
  for (std::size_t i = 0; i < elements.size(); ++i) {
    elements[i] = static_cast<float>(1 + i * 7 % 250);
  }
  return cast(Tensor::from<float>(elements, shape), dtype);
}

// Chains the layouts that the kernels like of their own, and does nothing else.
CompileOptions laid_out_as_written() {
  CompileOptions options = CompileOptions::none();
  options.chain_layouts = true;
  options.fallback = FallbackPolicy::kError;
  return options;
}

// x through one op and another. The layout between them; empty: plain, or there are no such
// kernels.
std::string pass_through(const Identity& writer, const Identity& reader, const Tensor& x,
                         const Place& place) {
  const Program program;
  Variable out;
  {
    const ProgramGuard building(program);
    out = reader.apply(writer.apply(data("x", x.shape(), x.dtype())));
  }
  Executor executor(place, laid_out_as_written(), Scope());
  const Feed feed{{"x", x}};
  try {
    const auto plan = inspect::plan(executor, program, feed, {out});
    if (plan.laid_out.empty()) return {};
    const Tensor result = executor.run(program, feed, {out}).front();
    if (conformance::same_bits(result, x)) return plan.laid_out.front().layout;
    fail("{}{} comes back from the layout '{}', written by {} and read by {}, with other elements",
         dtype_name(x.dtype()), x.shape().to_string(), plan.laid_out.front().layout, writer.op,
         reader.op);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::kPolicy || error.code() == ErrorCode::kUnsupported) return {};
    throw;
  }
}

// Through every reader.
Verdict check_round_trips(const Identity& writer, const std::vector<Identity>& readers,
                          const Place& place) {
  Ops layouts;
  for (const DType dtype : {kFloat32, kFloat64, kFloat16, kBFloat16}) {
    for (const Shape& shape : shapes()) {
      const Tensor x = whole_numbers(shape, dtype);
      for (const Identity& reader : readers) {
        if (!takes(writer, shape) || !takes(reader, shape)) continue;
        layouts.insert(pass_through(writer, reader, x, place));
      }
    }
  }
  layouts.erase("");
  if (layouts.empty()) skip("no kernel of {} leaves a result in a layout of its own", writer.op);
  return {};
}

// Passes values on to and from a case unchanged, by ops that write them in layouts.
conformance::Surroundings around(const Identity& writer, const Identity& reader) {
  const auto through = [](const Identity& one) {
    return [one](const Variable& x) { return takes(one, x.shape()) ? one.apply(x) : x; };
  };
  return {through(writer), through(reader)};
}

bool is_kept(long double element) {
  return std::isfinite(element) && !(element == 0 && std::signbit(element));
}

// Returns true if that op leaves numbers as they are, all of which `arrays` has.
template <class Arrays>
bool passes_on(const Identity& one, const Arrays& arrays) {
  if (one.keeps_all) return true;
  return std::all_of(arrays.begin(), arrays.end(), [](const auto& array) {
    return std::all_of(array.values.begin(), array.values.end(), is_kept);
  });
}

// Returns true if the case is one to try behind that writer and before that reader.
bool is_between(const Case& subject, const Identity& writer, const Identity& reader) {
  if (!subject.reference) return false;
  const bool is_of_images =
      std::any_of(subject.inputs.begin(), subject.inputs.end(),
                  [](const conformance::Input& input) { return input.shape.rank() == 4; });
  if ((writer.is_of_images || !reader.keeps_all) && !is_of_images) return false;
  const conformance::Arrays inputs = subject.make_inputs();
  return passes_on(writer, inputs) &&
         (reader.keeps_all || passes_on(reader, subject.reference(inputs)));
}

// The cases of an op between these. Whether one had a value that was laid out.
bool check_cases(const Suite& suite, const std::string& op, const Place& place,
                 const Identity& writer, const Identity& reader) {
  bool is_any = false;
  for (const Case& subject : suite.cases()) {
    if (subject.op != op || !is_between(subject, writer, reader)) continue;
    Ops layouts;
    const auto result = conformance::run_laid_out(subject, place, around(writer, reader), &layouts);
    is_any = is_any || !layouts.empty();
    if (result.outcome != conformance::Outcome::kFailed) continue;
    fail("{}, with values in the layout '{}': {}", subject.name(), fmt::join(layouts, "', '"),
         result.message);
  }
  return is_any;
}

// Between each that writes them so and one that reads them. What wants finite numbers is a reader
// of what it writes as well: the one that takes all may have no kernel for values that are small.
Verdict check_op(const Suite& suite, const std::string& op, const std::vector<Identity>& known,
                 const Place& place) {
  const auto reader =
      std::find_if(known.begin(), known.end(), [](const Identity& one) { return one.keeps_all; });
  bool is_any = false;
  for (const Identity& writer : known) {
    if (reader != known.end()) is_any = check_cases(suite, op, place, writer, *reader) || is_any;
    if (!writer.keeps_all) is_any = check_cases(suite, op, place, writer, writer) || is_any;
  }
  if (!is_any) skip("none of its cases has values in a layout of the plugin's own");
  return {};
}

// Adds what launches did wrong to what the check finds.
Verdict watched(OpsCore& core, const std::function<Verdict()>& check) {
  return core.watch([&] { return judge({"", check}); });
}

}  // namespace

std::vector<Check> layout_checks(const std::shared_ptr<OpsCore>& core,
                                 const std::shared_ptr<const Suite>& suite,
                                 const Brought& brought) {
  const std::vector<Identity> known = identities_among(brought.layout_ops);
  std::vector<Check> checks;
  for (const Identity& writer : known) {
    checks.push_back({"ops/layouts/round_trip/" + writer.op, [core, writer, known] {
                        const Place& place = core->place();
                        return watched(*core,
                                       [&] { return check_round_trips(writer, known, place); });
                      }});
  }
  for (const std::string& op : brought.layout_ops) {
    checks.push_back({"ops/layouts/" + op, [core, suite, op, known] {
                        const Place& place = core->place();
                        return watched(*core, [&] { return check_op(*suite, op, known, place); });
                      }});
  }
  return checks;
}

}  // namespace loci::verify
