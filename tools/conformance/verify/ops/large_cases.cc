#include "tools/conformance/verify/ops/large_cases.h"

#include <algorithm>
#include <cstring>
#include <loci/error.hpp>
#include <loci/executor.hpp>
#include <set>

#include "tools/conformance/check.h"

namespace loci::verify {
namespace {

using conformance::Array;
using conformance::Arrays;
using conformance::Case;
using conformance::Expected;
using conformance::Variables;

// Families whose ops compute an element of the output from those at its place.
const std::set<std::string>& elementwise_families() {
  static const std::set<std::string> kFamilies{"elementwise_unary", "elementwise_binary",
                                               "unary_math", "activation", "compare"};
  return kFamilies;
}

struct RowByRow {
  const char* name;  // what the small case's name begins with
  std::vector<std::size_t> repeated;
};

const std::vector<RowByRow>& row_by_row() {
  static const std::vector<RowByRow> kCases{
      {"softmax/softmax/float32/[3, 5]/axis -1", {0}},
      {"softmax/log_softmax/float32/[3, 5]/axis -1", {0}},
      {"layer_norm/layer_norm/float32/[3, 5],[5],[5]/axis 1", {0}},
      {"l2_normalize/l2_normalize/float32/[3, 5]/axis -1", {0}},
      {"matmul/mul/float32/[2, 3],[3, 4]/rows 1,1", {0}},
      {"matmul/matmul/float32/[3, 5],[5]", {0}},
      {"embedding/embedding/float32/[5, 3],[4]/int32_padding-1_dense", {1}},
      {"gather/gather/float32/[5],[7]/axis 0 by int32", {1}},
      {"conv2d/conv2d/float32/[2, 3, 5, 4],[4, 3, 3, 2]/plain", {0}},
      {"pool2d/pool2d/float32/[2, 3, 6, 4]/max, plain", {0}},
      {"concat/concat/float32/[2, 3],[2, 1],[2, 2]/axis -1", {0, 1, 2}},
      {"reduce/reduce_sum/float32/[3, 5]/axes [1]", {0}},
      {"reduce/reduce_mean/float32/[3, 5]/axes [1]", {0}},
      {"cross_entropy/cross_entropy/float32/[3, 4],[3]/int64", {0, 1}},
      {"transpose/transpose/float32/[2, 3, 4, 5]/perm [0, 2, 3, 1]", {0}},
      {"slice/slice/float32/[4, 6]/axes [1]", {0}},
  };
  return kCases;
}

bool is_elementwise(const Case& one) {
  if (elementwise_families().count(one.family) == 0 || !one.reference || one.random) return false;
  return std::all_of(one.inputs.begin(), one.inputs.end(), [&](const auto& input) {
    return input.dtype == kFloat32 && !input.state && input.shape == one.inputs[0].shape &&
           input.shape.rank() == 1 && input.shape[0] > 1;
  });
}

Shape repeated_shape(const Shape& shape, std::int64_t times) {
  std::vector<std::int64_t> dims = shape.dims();
  dims[0] *= times;
  return Shape(dims);
}

// The next odd number: what is repeated so is another one when its halves change places.
std::int64_t odd(std::int64_t times) { return times | 1; }

// The bytes of one again and again.
Tensor repeat(const Tensor& one, std::int64_t times) {
  Tensor many = Tensor::empty(repeated_shape(one.shape(), times), one.dtype());
  auto* target = static_cast<std::byte*>(many.raw_data());
  for (std::int64_t i = 0; i < times; ++i) {
    std::memcpy(target + static_cast<std::size_t>(i) * one.bytes(), one.raw_data(), one.bytes());
  }
  return many;
}

std::vector<Tensor> run_repeated(const LargeCase& large, const Arrays& inputs, const Place& place) {
  const Program program;
  Feed feed;
  std::vector<Fetch> fetches;
  {
    const ProgramGuard building(program);
    Variables variables;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const bool repeats = std::count(large.repeated.begin(), large.repeated.end(), i) > 0;
      const Tensor value = repeat(conformance::to_tensor(inputs[i]), repeats ? large.times : 1);
      const std::string name = fmt::format("input_{}", i);
      variables.push_back(data(name, value.shape(), value.dtype()));
      feed.emplace_back(name, value);
    }
    const Variables outputs = large.small->build(variables);
    fetches.assign(outputs.begin(), outputs.end());
  }
  CompileOptions options = CompileOptions::none();
  options.fallback = FallbackPolicy::kError;
  return Executor(place, options, Scope()).run(program, feed, fetches);
}

// The first piece is compared with what it has to be, and so are those that differ from it.
void expect_repeated(const Tensor& got, const Expected& expected, std::int64_t times,
                     std::size_t output) {
  if (got.dtype() != expected.dtype || got.shape() != repeated_shape(expected.shape, times)) {
    fail("output {} is {} {}", output, dtype_name(got.dtype()), got.shape().to_string());
  }
  const std::size_t bytes = got.bytes() / static_cast<std::size_t>(times);
  const auto* first = static_cast<const std::byte*>(got.raw_data());
  for (std::int64_t i = 0; i < times; ++i) {
    const std::byte* piece = first + static_cast<std::size_t>(i) * bytes;
    if (i > 0 && std::memcmp(first, piece, bytes) == 0) continue;
    const Array array =
        conformance::to_array(Tensor::from_bytes(piece, expected.shape, expected.dtype));
    const conformance::Verdict verdict = conformance::check(array, expected);
    if (verdict.good()) continue;
    fail("output {}, from element {} on, where the small case is right: {}", output,
         i * expected.shape.numel(), verdict.message);
  }
}

}  // namespace

std::string LargeCase::name() const {
  const std::string name = small->name();
  return fmt::format("{} x {}", name.substr(name.find('/') + 1), times);
}

std::vector<LargeCase> large_cases(const conformance::Suite& suite, const LargeSize& size) {
  std::vector<LargeCase> large;
  std::set<std::string> ops;
  for (const Case& one : suite.cases()) {
    if (!is_elementwise(one) || !ops.insert(one.op).second) continue;
    std::vector<std::size_t> all(one.inputs.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    large.push_back({&one, std::move(all), odd(size.elements / one.inputs[0].shape[0])});
  }
  for (const RowByRow& wanted : row_by_row()) {
    const auto found =
        std::find_if(suite.cases().begin(), suite.cases().end(),
                     [&](const Case& one) { return one.name().rfind(wanted.name, 0) == 0; });
    if (found == suite.cases().end()) continue;
    const Shape& shape = found->inputs[wanted.repeated.front()].shape;
    large.push_back({&*found, wanted.repeated, odd(size.rows / shape[0] + 1)});
  }
  return large;
}

Verdict run_large(const LargeCase& large, const Place& place) {
  const Arrays inputs = large.small->make_inputs();
  const std::vector<Expected> expected = large.small->reference(inputs);
  try {
    const std::vector<Tensor> got = run_repeated(large, inputs, place);
    for (std::size_t i = 0; i < got.size(); ++i) {
      expect_repeated(got[i], expected[i], large.times, i);
    }
  } catch (const Error& error) {
    if (error.code() == ErrorCode::kOutOfMemory)
      skip("{} has not memory enough", place.to_string());
    if (error.code() == ErrorCode::kPolicy || error.code() == ErrorCode::kUnsupported) {
      return {Outcome::kAbsent, error.what()};
    }
    throw;
  }
  return {};
}

}  // namespace loci::verify
