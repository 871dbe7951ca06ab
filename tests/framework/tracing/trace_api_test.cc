#include <loci/trace.hpp>

#include "tests/framework/eager/eager_fixture.h"

namespace loci::tracing {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using Tensors = std::vector<Tensor>;

class TraceApiTest : public eager::EagerTest {};

TEST_F(TraceApiTest, InputsAndOutputsAreVariables) {
  const Traced traced = trace(
      [](const Tensors& in) -> Tensors {
        return {in[1], in[0], in[0]};
      },
      {vector({1}), vector({1, 2})});
  ASSERT_EQ(traced.inputs.size(), 2U);
  ASSERT_EQ(traced.outputs.size(), 3U);
  EXPECT_EQ(traced.outputs[0].shape(), Shape({2}));
  EXPECT_NE(traced.outputs[1].name(), traced.outputs[2].name());
  traced.program.verify();
}

TEST_F(TraceApiTest, LiteralsFoldToAConstant) {
  const auto add = [](const Tensor& a, const Tensor& b) { return a + b; };
  const auto fancy = [&](const Tensor& a, const Tensor& b, const Tensor& c, const Tensor& d) {
    return add(add(a, b), add(c, d));
  };
  const Traced literals = trace(
      [&](const Tensors&) -> Tensors {
        return {fancy(full({1}, 1), full({1}, 2), full({1}, 3), full({1}, 4))};
      },
      {});
  const std::string folded =
      inspect::after_passes(literals.program, {literals.outputs[0]}).to_string();
  EXPECT_THAT(folded, ::testing::Not(HasSubstr("elementwise_add(")));
}

TEST_F(TraceApiTest, UndefinedValuesAreRefused) {
  const auto nothing = [](const Tensors&) -> Tensors { return {Tensor()}; };
  EXPECT_THAT([&] { trace(nothing, {}); },
              ThrowsMessage<Error>(HasSubstr("returned an undefined tensor")));
  EXPECT_THAT([&] { trace(nothing, {Tensor()}); }, ThrowsMessage<Error>(HasSubstr("example 0")));
}

}  // namespace
}  // namespace loci::tracing
