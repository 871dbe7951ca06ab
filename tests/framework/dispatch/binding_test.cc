#include "framework/dispatch/binding.h"

#include "tests/framework/dispatch/dispatch_fixture.h"

namespace loci::dispatch {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;

class BindingTest : public DispatchTest {
 protected:
  Binding bind(const OpDesc& op) { return bind_kernel(device_at("toy:0"), op, &cache_); }

  KernelCache cache_;
};

TEST_F(BindingTest, TheFirstKernelThatAcceptsWins) {
  const Binding bound = bind(unary("relu", {4}));
  EXPECT_EQ(bound.name(), "org.loci.test.toy/toy");
  EXPECT_NE(bound.kernel, nullptr);
  EXPECT_THAT(bound.refusals, IsEmpty());
  EXPECT_THAT(bound.aliases(), ElementsAre(Field(&loci_alias::output, 0U)));
}

TEST_F(BindingTest, ARefusedDtypeIsNamedWithThoseThatThereAre) {
  const Binding bound = bind(unary("relu", {4}, kFloat64));
  EXPECT_FALSE(bound.found());
  EXPECT_EQ(bound.name(), "none");
  EXPECT_EQ(bound.refusals, "none for float64; has: float32");
}

TEST_F(BindingTest, OfManyDtypesThreeAreNamed) {
  const Binding bound = bind_kernel(device_at("cpu"), unary("relu", {4}, kBool), &cache_);
  EXPECT_FALSE(bound.found());
  EXPECT_THAT(bound.refusals,
              ::testing::MatchesRegex("none for bool; has: [a-z0-9]+, [a-z0-9]+, [a-z0-9]+ and "
                                      "[0-9]+ more"));
}

TEST_F(BindingTest, AKernelForAnotherVersionOfTheOpIsRefusedWithBoth) {
  const Binding bound = bind(unary("exp", {4}));
  EXPECT_FALSE(bound.found());
  EXPECT_EQ(bound.refusals,
            "org.loci.test.toy/toy: it is for version 7 of the op, and this Loci has version 1");
}

TEST_F(BindingTest, AnOpThatNobodyBringsIsNamed) {
  EXPECT_EQ(bind(unary("softmax", {4})).refusals, "no plugin brings a kernel of softmax for toy");
}

TEST_F(BindingTest, WhereOneDeclinesTheNextIsTaken) {
  EXPECT_EQ(bind(unary("scale", {4})).name(), "org.loci.test.toy/pairs");
  const Binding bound = bind(unary("scale", {5}));
  EXPECT_EQ(bound.name(), "org.loci.test.toy/toy");
  EXPECT_NE(bound.kernel, nullptr);
  EXPECT_EQ(bound.refusals, "org.loci.test.toy/pairs: 5 elements are no pairs");
}

TEST_F(BindingTest, OneThatDeclinedIsAskedOnce) {
  (void)bind(unary("scale", {7}));
  const std::size_t kept = cache_.size();
  EXPECT_EQ(kept, 2U);  // that it declined, and the other one
  EXPECT_EQ(bind(unary("scale", {7})).refusals, "org.loci.test.toy/pairs: 7 elements are no pairs");
  EXPECT_EQ(cache_.size(), kept);
}

// A replay that drew what the one before it drew would look right.
TEST_F(BindingTest, AKernelThatDoesNotCountDrawsIsNotAskedWithinACapture) {
  const ops::OpSchema& schema = ops::op_registry().get("dropout");
  const ArgumentType x{kFloat32, {4}, LOCI_RESIDENCE_DEVICE};
  const ArgumentType mask{kUInt8, {4}, LOCI_RESIDENCE_DEVICE};
  const auto bind_with_state_of = [&](std::int64_t elements) {
    const ArgumentType state{kUInt64, {elements}, LOCI_RESIDENCE_DEVICE};
    return bind({schema, schema.complete({}), {{x}, {state}}, {{x}, {mask}}});
  };
  EXPECT_EQ(bind_with_state_of(2).name(), "org.loci.test.toy/uncounted");
  const Binding bound = bind_with_state_of(3);
  EXPECT_FALSE(bound.found());
  EXPECT_EQ(bound.refusals,
            "org.loci.test.toy/uncounted: it does not say that it counts the draws of a captured "
            "graph (LOCI_KERNEL_COUNTED_STATE), each replay of which would draw the same numbers");
}

TEST_F(BindingTest, NothingIsPreparedForWhatWritesNothing) {
  const Binding bound = bind(unary("relu", {0, 3}));
  EXPECT_TRUE(bound.found());
  EXPECT_EQ(bound.kernel, nullptr);
  EXPECT_EQ(cache_.size(), 0U);
}

}  // namespace
}  // namespace loci::dispatch
