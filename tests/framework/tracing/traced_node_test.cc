#include "framework/tracing/traced_node.h"

#include "tests/framework/eager/eager_fixture.h"

namespace loci::tracing {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using Tensors = std::vector<Tensor>;

class TracedNodeTest : public eager::EagerTest {};

TEST_F(TracedNodeTest, ATensorThatOutlivesItsTraceHasNoGradient) {
  const Tensor w = variable({2});
  Tensor kept;
  (void)trace(
      [&](const Tensors& in) {
        kept = in[0] * w;
        return Tensors{kept};
      },
      {vector({1})});
  EXPECT_TRUE(kept.requires_grad());
  EXPECT_THAT([&] { kept.backward(); },
              ThrowsMessage<Error>(HasSubstr("a result of elementwise_mul was computed within a "
                                             "trace that has ended")));
}

}  // namespace
}  // namespace loci::tracing
