#include "framework/tracing/result_node.h"

#include "framework/tracing/traced_node.h"
#include "tests/framework/eager/eager_fixture.h"

namespace loci::tracing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using Tensors = std::vector<Tensor>;

class ResultNodeTest : public eager::EagerTest {};

TEST_F(ResultNodeTest, NoGradientIsLostInAResult) {
  const Tensor w = variable({2});
  const CompiledFunction compiled = compile(
      [&](const Tensors& in) {
        return Tensors{in[0] * w, in[0] * 2.0};
      },
      {vector({1})});
  const Tensors results = compiled({vector({3})});
  EXPECT_TRUE(results[0].requires_grad());
  EXPECT_FALSE(results[0].is_leaf());
  EXPECT_FALSE(results[1].requires_grad());
  const auto refusal =
      ThrowsMessage<Error>(HasSubstr("[backward] it gets to a result of a "
                                     "compiled function, which records nothing"));
  EXPECT_THAT([&] { (results[0] + w).backward({}, true); }, refusal);
  EXPECT_THAT([&] { grad({results[0] + w}, {w}, {}, true); }, refusal);
  EXPECT_THAT(floats(grad({results[0] * results[0]}, {results[0]})[0]), ElementsAre(12));
  (results[0].detach() + w).backward();
  EXPECT_THAT(floats(w.grad()), ElementsAre(1));
  const NoGrad scope;
  EXPECT_FALSE(compiled({vector({3})})[0].requires_grad());
}

}  // namespace
}  // namespace loci::tracing
