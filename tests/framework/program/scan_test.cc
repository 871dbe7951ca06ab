#include "framework/program/scan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/control_flow.hpp>
#include <loci/layers.hpp>
#include <loci/ops.hpp>

#include "framework/program/control_flow.h"

namespace loci::program {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using Values = std::vector<Variable>;
using Step = ScanResult<Variable>;

class ScanTest : public ::testing::Test {
 protected:
  static Step same(const Values& carry, const Values& xs) { return {carry, xs}; }
  // Returns the types of a scan once those of its inputs are these.
  std::vector<std::vector<ops::TensorType>> types(
      const std::vector<ops::TensorType>& inputs) const {
    return scan_types(main_.impl()->main(), main_.impl()->main().ops.back(), inputs);
  }
  template <class Call>
  static void expect_refusal(const Call& call, const std::string& message) {
    EXPECT_THAT(call, ThrowsMessage<Error>(HasSubstr(message)));
  }

  Program main_;
  Program startup_;
  ProgramGuard guard_{main_, startup_};
  Variable h_ = data("h", {2}, kFloat32);
  Variable xs_ = data("xs", {-1, 2, 3}, kFloat32);
};

TEST_F(ScanTest, SlicesHaveNoFirstDimension) {
  EXPECT_EQ(slice_type({kFloat32, Shape{4, 2, 3}}), (ops::TensorType{kFloat32, Shape{2, 3}}));
  EXPECT_EQ(slice_type({kInt64, Shape{4}}), (ops::TensorType{kInt64, Shape{}}));
  EXPECT_EQ(stacked_type(4, {kFloat32, Shape{2, 3}}), (ops::TensorType{kFloat32, Shape{4, 2, 3}}));
  EXPECT_EQ(stacked_type(-1, {kBool, Shape{}}), (ops::TensorType{kBool, Shape{-1}}));
}

TEST_F(ScanTest, GivesTheTypesOfValuesAndStackedOutputs) {
  const Step made = scan(same, {h_}, {xs_});
  EXPECT_EQ(made.carry[0].shape(), (Shape{2}));
  EXPECT_EQ(made.ys[0].shape(), (Shape{-1, 2, 3}));
  EXPECT_THAT(types({{kFloat32, Shape{2}}, {kFloat32, Shape{7, 2, 3}}}),
              ElementsAre(ElementsAre(ops::TensorType{kFloat32, Shape{2}}),
                          ElementsAre(ops::TensorType{kFloat32, Shape{7, 2, 3}}), ElementsAre()));
  EXPECT_THAT(
      argument_types(main_.impl()->main(), main_.impl()->main().ops.back()),
      ElementsAre(ops::TensorType{kFloat32, Shape{2}}, ops::TensorType{kFloat32, Shape{2, 3}}));
  EXPECT_NO_THROW(main_.verify());
}

TEST_F(ScanTest, TheLengthMayStandForStackedInputs) {
  const Step made = scan(
      [](const Values& carry, const Values&) {
        return Step{carry, {carry[0]}};
      },
      {h_}, {}, {5});
  EXPECT_EQ(made.ys[0].shape(), (Shape{5, 2}));
}

TEST_F(ScanTest, RefusesWhatHasNoSteps) {
  expect_refusal([&] { scan(same, {}, Values{}); },
                 "[scan] has neither carried values nor stacked inputs; give at least one");
  expect_refusal([&] { scan(same, {h_}, {}); },
                 "[scan] has neither stacked inputs nor a length; give one of them");
  expect_refusal([&] { scan(same, {h_}, {}, {-2}); },
                 "[scan] has the length -2; give a number of steps");
  expect_refusal([&] { scan(same, {}, {data("number", {}, kFloat32)}); },
                 "[scan] 'number' has no dimension to take slices of");
}

TEST_F(ScanTest, RefusesStackedInputsThatDisagree) {
  const Variable three = data("three", {3, 2}, kFloat32);
  const Variable four = data("four", {4}, kFloat32);
  expect_refusal(
      [&] {
        scan(same, {}, {three, four});
      },
      "[scan] has 3 steps by 'three', but 4 by 'four'; stacked inputs have one first");
  expect_refusal([&] { scan(same, {}, {three}, {4}); },
                 "[scan] has 4 steps by the length, but 3 by 'three'");
  scan(same, {}, {three, xs_});
  expect_refusal(
      [&] {
        types({{kFloat32, Shape{3, 2}}, {kFloat32, Shape{4, 2, 3}}});
      },
      "[scan] scan_0 has 3 steps by 'three', but 4 by 'xs'");
}

TEST_F(ScanTest, RefusesABodyThatChangesItsValues) {
  expect_refusal(
      [&] {
        scan(
            [](const Values& carry, const Values&) {
              return Step{{concat(Values{carry[0], carry[0]})}, {}};
            },
            {h_}, {xs_});
      },
      "[scan] makes 'h' float32[4], but it is float32[2] at first; the values of a scan keep dtype "
      "and shape, and what grows is carried by while_loop()");
  expect_refusal(
      [&] {
        scan(
            [](const Values& carry, const Values&) {
              return Step{{cast(carry[0], kInt64)}, {}};
            },
            {h_}, {xs_});
      },
      "[scan] makes 'h' int64[2], but it is float32[2]");
  expect_refusal(
      [&] {
        scan([](const Values&, const Values& xs) { return Step{{}, xs}; }, {h_}, {xs_});
      },
      "[scan] its body gives 0 carried value(s) for 1; give the next one of each");
}

TEST_F(ScanTest, RefusesAnOutputOfNoOneType) {
  const Variable on = data("on", {1}, kBool);
  expect_refusal(
      [&] {
        scan(
            [&](const Values&, const Values& xs) {
              return Step{{},
                          {cond(
                              on, [&] { return xs[0]; }, [&] { return reduce_sum(xs[0]); })}};
            },
            {}, {xs_});
      },
      "[scan] gives, as stacked output 0, what has no one dtype and rank");
}

TEST_F(ScanTest, RefusesToSliceWhatItsBodyChanges) {
  const Variable counts = create_persistable({1}, kInt64, initializer::constant(0), "counts");
  expect_refusal(
      [&] {
        scan(
            [&](const Values&, const Values& xs) {
              increment(counts);
              return Step{{}, {xs[0]}};
            },
            {}, {counts});
      },
      "[scan] takes slices of 'counts', which its block changes in place; give it a copy");
}

TEST_F(ScanTest, RefusesBlocksThatDoNotFit) {
  scan(same, {h_}, {xs_});
  Operator& op = main_.impl()->main().ops.back();
  const Operator whole = op;
  op.blocks.clear();
  expect_refusal(
      [&] {
        types({{kFloat32, Shape{2}}, {kFloat32, Shape{7, 2, 3}}});
      },
      "has 0 blocks instead of 1");
  op = whole;
  expect_refusal(
      [&] {
        types({{kFloat32, Shape{2}}});
      },
      "has a block that takes 2 argument(s), but it gets 1");
  expect_refusal(
      [&] {
        types({{kFloat32, Shape{2}}, {kInt64, Shape{7, 2, 3}}});
      },
      "has a block that takes 'xs' as float32[2, 3], but it gets int64[2, 3]");
  expect_refusal(
      [&] {
        types({{kFloat32, Shape{2}}, {kFloat32, Shape{}}});
      },
      "takes slices of a float32[], which has no dimension");
}

}  // namespace
}  // namespace loci::program
