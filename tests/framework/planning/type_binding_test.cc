#include "framework/planning/type_binding.h"

#include "tests/framework/executor/programs_fixture.h"

namespace loci::planning {
namespace {

using execution::PlanFeed;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class TypeBindingTest : public executor::ProgramsTest {
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

// Expected types are not inferred, and reads of the scope are held against them all the same.
TEST_F(TypeBindingTest, TakesWhatIsExpected) {
  const Variable x = data("x", {-1, 3}, kFloat32);
  const Variable y = relu(x);
  const Variable z = tanh(y);
  std::vector<ops::TensorType> expected(static_cast<std::size_t>(z.id()));
  expected[static_cast<std::size_t>(y.id())] = {kFloat32, Shape{6, 3}};
  const program::Block& block = main_.impl()->main();
  TypeBinder binder(block, *scope_.impl());
  binder.bind_feeds({feed_of("x", {5, 3})});
  binder.expect(&expected);
  for (const program::Operator& op : block.ops) binder.bind(op);
  EXPECT_EQ(binder.type(y.id()).shape, (Shape{6, 3}));
  EXPECT_EQ(binder.type(z.id()).shape, (Shape{6, 3})) << "beyond what is expected";
}

TEST_F(TypeBindingTest, ExpectedTypesNeedWhatTheOperatorReads) {
  const Variable y = relu(create_parameter({2}, kFloat32, initializer::constant(0), "w"));
  const Variable z = relu(data("x", {-1}, kFloat32));
  std::vector<ops::TensorType> expected(static_cast<std::size_t>(z.id()) + 1, {kFloat32, Shape{2}});
  const program::Block& block = main_.impl()->main();
  TypeBinder binder(block, *scope_.impl());
  binder.expect(&expected);
  scope_.set("w", Tensor::from<double>({1, 2}, {2}));
  EXPECT_THAT([&] { binder.bind(block.ops[0]); },
              ThrowsMessage<Error>(HasSubstr("'w' is float64[2] in the scope")));
  EXPECT_THAT([&] { binder.bind(block.ops[1]); },
              ThrowsMessage<Error>(HasSubstr("'x' float32[-1] is not fed")));
  EXPECT_EQ(binder.type(y.id()).dtype, DType::kNone);
}

TEST_F(TypeBindingTest, ShapesThatOnlyClashAtRunTimeAreFoundThere) {
  const Variable x = data("x", {-1}, kFloat32);
  const Variable y = data("y", {-1}, kFloat32);
  elementwise_add(x, y);
  const auto binding = [&] { bind({feed_of("x", {2}), feed_of("y", {3})}); };
  EXPECT_THAT(binding, ThrowsMessage<Error>(HasSubstr("elementwise_add")));
}

}  // namespace
}  // namespace loci::planning
