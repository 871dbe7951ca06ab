#include "framework/compile/type_binding.h"

#include "tests/framework/executor/runtime_fixture.h"

namespace loci::runtime {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class TypeBindingTest : public RuntimeTest {
 protected:
  std::vector<ops::TensorType> bind(const std::vector<PlanFeed>& feeds) {
    const program::Block& block = main_.impl()->main();
    TypeBinder binder(block, *scope_.impl());
    binder.bind_feeds(feeds);
    for (const program::Operator& op : block.ops) binder.bind(op);
    return binder.types();
  }
};

TEST_F(TypeBindingTest, ReplacesUnknownExtents) {
  const Variable y = relu(data("x", {-1, 3}, kFloat32));
  const auto types = bind({feed_of("x", {5, 3})});
  EXPECT_EQ(types[static_cast<std::size_t>(y.id())].shape, (Shape{5, 3}));
}

TEST_F(TypeBindingTest, RefusesAScopeVariableOfAnotherType) {
  relu(create_parameter({2}, kFloat32, initializer::constant(0), "w"));
  scope_.set("w", Tensor::from<double>({1, 2}, {2}));
  EXPECT_THAT([&] { bind({}); },
              ThrowsMessage<Error>(HasSubstr(
                  "'w' is float64[2] in the scope, but the program declares float32[2]")));
}

TEST_F(TypeBindingTest, ShapesThatOnlyClashAtRunTimeAreFoundThere) {
  const Variable x = data("x", {-1}, kFloat32);
  const Variable y = data("y", {-1}, kFloat32);
  elementwise_add(x, y);
  const auto binding = [&] { bind({feed_of("x", {2}), feed_of("y", {3})}); };
  EXPECT_THAT(binding, ThrowsMessage<Error>(HasSubstr("elementwise_add")));
}

}  // namespace
}  // namespace loci::runtime
