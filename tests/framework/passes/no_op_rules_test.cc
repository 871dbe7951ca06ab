#include "framework/passes/no_op_rules.h"

#include "tests/framework/passes/pass_fixture.h"

namespace loci::passes {
namespace {

class NoOpRulesTest : public PassTest {
 protected:
  // Returns true if the operator that made `out` changes nothing of `x`.
  bool is_no_op(const Variable& out, const Variable& x) {
    ValueOrigins origins(block());
    program::VarId equal = program::kNoVar;
    for (const program::Operator& op : block().ops) {
      if (op.outputs[0].front() == out.id()) equal = equal_value(op, origins);
      origins.note(op);
    }
    return equal == x.id();
  }
  bool is_no_op(const Variable& out) { return is_no_op(out, x_); }

  // Converts as the function does with a value that is only known in the run.
  static Variable converted(const Variable& x, DType dtype) {
    return OpCall<Variable>("cast").input("x", x).attr("dtype", dtype).result();
  }
  Variable fed(const Shape& shape, DType dtype) {
    return data("fed" + std::to_string(fed_++), shape, dtype);
  }
  bool comes_back(DType dtype, DType by) {
    const Variable x = fed({2}, dtype);
    return is_no_op(converted(converted(x, by), dtype), x);
  }
  static Variable of_elements(const std::vector<double>& elements, DType dtype) {
    return assign_value(elements, {static_cast<std::int64_t>(elements.size())}, dtype);
  }

  const Variable x_ = data("x", {2, 3}, kFloat32);
  const Variable n_ = data("n", {2, 3}, kInt32);
  const Variable unknown_ = data("unknown", {-1, 3}, kFloat32);
  int fed_ = 0;
};

TEST_F(NoOpRulesTest, OtherOperatorsDoSomething) {
  EXPECT_FALSE(is_no_op(relu(x_)));
  EXPECT_FALSE(is_no_op(matmul(x_, x_, false, true)));
}

TEST_F(NoOpRulesTest, AssignmentCopies) { EXPECT_TRUE(is_no_op(assign(x_))); }

TEST_F(NoOpRulesTest, CastToTheOwnDtype) {
  EXPECT_TRUE(is_no_op(converted(x_, kFloat32)));
  EXPECT_TRUE(is_no_op(converted(unknown_, kFloat32), unknown_));
  EXPECT_FALSE(is_no_op(converted(x_, kFloat64)));
}

TEST_F(NoOpRulesTest, CastToWhatHoldsAllAndBack) {
  EXPECT_TRUE(comes_back(kFloat32, kFloat64));
  EXPECT_TRUE(comes_back(kFloat16, kFloat32));
  EXPECT_TRUE(comes_back(kBFloat16, kFloat64));
  EXPECT_TRUE(comes_back(kBool, kFloat16));
  EXPECT_TRUE(comes_back(kInt8, kInt32));
  EXPECT_TRUE(comes_back(kInt32, kUInt32));
  EXPECT_TRUE(comes_back(kInt32, kFloat64));
  EXPECT_TRUE(comes_back(kUInt8, kBFloat16));
  EXPECT_TRUE(comes_back(kUInt16, kFloat32));
}

TEST_F(NoOpRulesTest, CastThroughLessIsNone) {
  EXPECT_FALSE(comes_back(kFloat64, kFloat32));
  EXPECT_FALSE(comes_back(kFloat32, kBFloat16));
  EXPECT_FALSE(comes_back(kFloat16, kBFloat16));
  EXPECT_FALSE(comes_back(kBFloat16, kFloat16));
  EXPECT_FALSE(comes_back(kFloat32, kInt64));
  EXPECT_FALSE(comes_back(kInt32, kInt16));
  EXPECT_FALSE(comes_back(kInt32, kFloat32));
  EXPECT_FALSE(comes_back(kUInt16, kFloat16));
  EXPECT_FALSE(comes_back(kInt64, kFloat64));
  EXPECT_FALSE(comes_back(kInt8, kBool));
  EXPECT_FALSE(is_no_op(converted(converted(x_, kFloat64), kFloat16)));
}

TEST_F(NoOpRulesTest, TransposeThatLeavesTheOrder) {
  EXPECT_TRUE(is_no_op(transpose(x_, {0, 1})));
  EXPECT_TRUE(is_no_op(transpose(x_, {-2, -1})));
  EXPECT_TRUE(is_no_op(transpose(unknown_, {0, 1}), unknown_));
  EXPECT_FALSE(is_no_op(transpose(x_, {1, 0})));
}

TEST_F(NoOpRulesTest, ReshapeToTheOwnShape) {
  EXPECT_TRUE(is_no_op(reshape(x_, {2, -1})));
  EXPECT_TRUE(is_no_op(squeeze(x_)));
  EXPECT_TRUE(is_no_op(flatten(x_)));
  EXPECT_FALSE(is_no_op(reshape(x_, {3, 2})));
  EXPECT_FALSE(is_no_op(unsqueeze(x_, {0})));
  EXPECT_FALSE(is_no_op(reshape(unknown_, {-1, 3}), unknown_));
}

TEST_F(NoOpRulesTest, ReshapeThereAndBack) {
  EXPECT_TRUE(is_no_op(squeeze(unsqueeze(x_, {1}), {1})));
  EXPECT_TRUE(is_no_op(reshape(flatten(x_, 0), {2, 3})));
  EXPECT_FALSE(is_no_op(reshape(flatten(x_, 0), {3, 2})));
  EXPECT_FALSE(is_no_op(reshape(transpose(x_, {1, 0}), {2, 3})));
}

TEST_F(NoOpRulesTest, ExpansionByNothing) {
  EXPECT_TRUE(is_no_op(expand(x_, {2, 3})));
  EXPECT_TRUE(is_no_op(expand(x_, {-1, -1})));
  EXPECT_TRUE(is_no_op(tile(x_, {1, 1})));
  EXPECT_FALSE(is_no_op(expand(x_, {1, 2, 3})));
  EXPECT_FALSE(is_no_op(tile(x_, {1, 2})));
}

TEST_F(NoOpRulesTest, SliceOfTheWhole) {
  EXPECT_TRUE(is_no_op(slice(x_, {0, 1}, {0, 0}, {2, 99})));
  EXPECT_TRUE(is_no_op(crop_tensor(x_, {2, 3})));
  EXPECT_FALSE(is_no_op(slice(x_, {0}, {1}, {2})));
  EXPECT_FALSE(is_no_op(slice(x_, {1}, {-1}, {-9}, {-1})));
  EXPECT_FALSE(is_no_op(crop_tensor(x_, {2, 2}, {0, 1})));
}

TEST_F(NoOpRulesTest, PadsOfNothing) {
  EXPECT_TRUE(is_no_op(pad(x_, {0, 0, 0, 0}, "wrap")));
  EXPECT_FALSE(is_no_op(pad(x_, {0, 1, 0, -1})));
}

// The values of the list are known in the run alone, and may be an error there.
TEST_F(NoOpRulesTest, ListsThatAreReadSayNothing) {
  EXPECT_FALSE(is_no_op(reshape(x_, loci::shape(x_))));
  EXPECT_FALSE(is_no_op(slice(x_, {0}, data("from", {1}, kInt64), data("to", {1}, kInt64))));
}

TEST_F(NoOpRulesTest, ListsOfOne) {
  using Values = std::vector<Variable>;
  EXPECT_TRUE(is_no_op(concat(Values{x_})));
  EXPECT_TRUE(is_no_op(sum(Values{x_})));
  EXPECT_TRUE(is_no_op(split(x_, 1)[0]));
  EXPECT_FALSE(is_no_op(concat(Values{x_, x_})));
  EXPECT_FALSE(is_no_op(sum(Values{x_, x_})));
  EXPECT_FALSE(is_no_op(split(x_, 2)[0]));
}

TEST_F(NoOpRulesTest, ScaleByOne) {
  EXPECT_TRUE(is_no_op(scale(n_, 1.0), n_));
  EXPECT_TRUE(is_no_op(scale(x_, 1.0, -0.0)));
  EXPECT_FALSE(is_no_op(scale(x_, 1.0))) << "-0.0 + 0.0 is 0.0";
  EXPECT_FALSE(is_no_op(scale(n_, 1.0, 1.0), n_));
  EXPECT_FALSE(is_no_op(scale(n_, 2.0), n_));
}

TEST_F(NoOpRulesTest, ProductWithOne) {
  const Variable one = fill_constant({2, 3}, 1.0);
  EXPECT_TRUE(is_no_op(elementwise_mul(x_, one)));
  EXPECT_TRUE(is_no_op(elementwise_mul(one, x_)));
  EXPECT_TRUE(is_no_op(elementwise_div(x_, one)));
  EXPECT_TRUE(is_no_op(elementwise_mul(x_, of_elements({1, 1, 1}, kFloat32))));
  EXPECT_TRUE(is_no_op(elementwise_mul(x_, full_like(x_, 1.0))));
  EXPECT_FALSE(is_no_op(elementwise_div(one, x_)));
  EXPECT_FALSE(is_no_op(elementwise_mul(x_, of_elements({1, 1, 2}, kFloat32))));
  EXPECT_FALSE(is_no_op(elementwise_mul(x_, fill_constant({2, 3}, 2.0))));
  EXPECT_FALSE(is_no_op(elementwise_mul(x_, data("fed", {2, 3}, kFloat32))));
  const Variable read = fill_constant(loci::shape(x_), data("value", {}, kFloat32));
  EXPECT_FALSE(is_no_op(elementwise_mul(x_, read)));
}

TEST_F(NoOpRulesTest, ZeroAddedOrTakenAway) {
  const Variable zero = fill_constant({2, 3}, 0.0);
  const Variable minus_zero = fill_constant({2, 3}, -0.0);
  const Variable no = fill_constant({2, 3}, 0.0, kInt32);
  EXPECT_TRUE(is_no_op(elementwise_sub(x_, zero)));
  EXPECT_TRUE(is_no_op(elementwise_add(x_, minus_zero)));
  EXPECT_TRUE(is_no_op(elementwise_add(no, n_), n_));
  EXPECT_TRUE(is_no_op(elementwise_sub(n_, no), n_));
  EXPECT_FALSE(is_no_op(elementwise_add(x_, zero))) << "-0.0 + 0.0 is 0.0";
  EXPECT_FALSE(is_no_op(elementwise_sub(x_, minus_zero)));
  EXPECT_FALSE(is_no_op(elementwise_add(x_, of_elements({-0.0, 0.0, -0.0}, kFloat32))));
  EXPECT_FALSE(is_no_op(elementwise_sub(no, n_), n_));
}

TEST_F(NoOpRulesTest, BroadcastingThatAddsElementsIsSomething) {
  const Variable row = data("row", {3}, kFloat32);
  EXPECT_FALSE(is_no_op(elementwise_mul(row, fill_constant({2, 3}, 1.0)), row));
  EXPECT_TRUE(is_no_op(elementwise_mul(unknown_, fill_constant({}, 1.0)), unknown_));
  EXPECT_FALSE(is_no_op(elementwise_mul(unknown_, fill_constant({3}, 1.0)), unknown_));
  EXPECT_FALSE(is_no_op(elementwise_mul(row, fill_constant({1, 1}, 1.0)), row));
}

TEST_F(NoOpRulesTest, DropoutThatDropsNothing) {
  EXPECT_TRUE(is_no_op(dropout(x_, 0.5, /*is_test=*/true)));
  EXPECT_TRUE(is_no_op(dropout(x_, 0.0, /*is_test=*/true, "downgrade_in_infer")));
  EXPECT_FALSE(is_no_op(dropout(x_, 0.5, /*is_test=*/true, "downgrade_in_infer")));
  EXPECT_FALSE(is_no_op(dropout(x_, 0.5)));
}

}  // namespace
}  // namespace loci::passes
