#include "framework/program/row_independence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <loci/ops.hpp>

namespace loci::program {
namespace {

using ::testing::HasSubstr;
using Variables = std::vector<Variable>;

class RowIndependenceTest : public ::testing::Test {
 protected:
  // A program of two inputs, [rows, 3] and [rows, 1].
  using Build = std::function<Variables(const Variables& inputs)>;

  static std::string dependence(const Build& build, std::int64_t rows = 8,
                                std::int64_t other_rows = 7) {
    const Program one;
    const Program other;
    return row_dependence(form(one, build, rows), form(other, build, other_rows));
  }

 private:
  static RowForm form(const Program& program, const Build& build, std::int64_t rows) {
    const ProgramGuard building(program);
    const Variables inputs{data("x", {rows, 3}, kFloat32), data("label", {rows, 1}, kInt64)};
    RowForm form;
    form.rows = rows;
    for (const Variable& input : inputs) form.inputs.push_back(input.id());
    for (const Variable& output : build(inputs)) form.outputs.push_back(output.id());
    form.block = &program.impl()->main();
    return form;
  }
};

Variable weight(const Shape& shape) {
  return create_persistable(shape, kFloat32, initializer::constant(0), "weight");
}

TEST_F(RowIndependenceTest, APerceptronKeepsRowsApart) {
  EXPECT_EQ(dependence([](const Variables& in) {
              const Variable scores = softmax(matmul(relu(in[0]), weight({3, 4})));
              return Variables{scores, cross_entropy(scores, in[1])};
            }),
            "");
}

TEST_F(RowIndependenceTest, AnIndexIsOneInARowOfZerosToo) {
  EXPECT_EQ(dependence([](const Variables& in) {
              return Variables{embedding(weight({5, 2}), reshape(in[1], {0}))};
            }),
            "");
  EXPECT_EQ(dependence([](const Variables& in) {
              return Variables{embedding(weight({5, 2}), scale(in[1], 1.0, -1.0))};
            }),
            "[embedding] 'embedding_0' mixes rows: it may hang on all rows of 'scale_0.out'");
}

TEST_F(RowIndependenceTest, AMeanOverTheBatchIsNamed) {
  EXPECT_EQ(dependence([](const Variables& in) { return Variables{in[0] - mean(relu(in[0]))}; }),
            "[mean] 'mean_0' mixes rows: it may hang on all rows of 'relu_0.out'");
}

TEST_F(RowIndependenceTest, WhatNoResultNeedsCountsToo) {
  EXPECT_THAT(dependence([](const Variables& in) {
                (void)reduce_sum(in[0], {0});
                return Variables{relu(in[0])};
              }),
              HasSubstr("[reduce_sum] 'reduce_sum_0' mixes rows"));
}

TEST_F(RowIndependenceTest, WhatHangsOnNoInputMayMixWhatItLikes) {
  EXPECT_EQ(dependence([](const Variables& in) {
              return Variables{elementwise_mul(in[0], mean(weight({3, 4})))};
            }),
            "");
}

TEST_F(RowIndependenceTest, AResultHasARowForEach) {
  EXPECT_THAT(dependence([](const Variables& in) {
                return Variables{relu(in[0]), relu(weight({8, 2}))};
              }),
              HasSubstr("the result 1, 'relu_1.out' [8, 2], hangs on no row of the inputs"));
}

TEST_F(RowIndependenceTest, StateThatRowsChangeIsMixed) {
  EXPECT_THAT(dependence([](const Variables& in) {
                sgd(weight(in[0].shape()), in[0],
                    create_persistable({}, kFloat32, initializer::constant(0), "rate"));
                return Variables{relu(in[0])};
              }),
              HasSubstr("[sgd] 'sgd_0' mixes rows"));
}

TEST_F(RowIndependenceTest, StatisticsInUseAreOfNoRow) {
  const auto norm = [](bool is_test) {
    return [is_test](const Variables& in) {
      const auto channels = [](const char* name) {
        return create_persistable({3}, kFloat32, initializer::constant(1), name);
      };
      const Variables results = OpCall<Variable>("batch_norm")
                                    .input("x", in[0])
                                    .input("scale", channels("scale"))
                                    .input("bias", channels("bias"))
                                    .input("mean", channels("mean"))
                                    .input("variance", channels("variance"))
                                    .attr("is_test", is_test)
                                    .results();
      return Variables{results[0]};
    };
  };
  EXPECT_EQ(dependence(norm(true)), "");
  EXPECT_THAT(dependence(norm(false)), HasSubstr("[batch_norm] 'batch_norm_0' mixes rows"));
}

TEST_F(RowIndependenceTest, TheNumberOfRowsIsSaidAsAnExtentOnly) {
  const auto extent = [](const Variables& in) { return in[0].shape()[0]; };
  EXPECT_EQ(dependence([&](const Variables& in) {
              const Variable zeros = fill_constant({extent(in), 4}, 0.0);
              return Variables{reshape(in[0], {extent(in), 1, 3}), zeros};
            }),
            "");
  EXPECT_EQ(dependence([&](const Variables& in) {
              return Variables{scale(in[0], 1.0 / static_cast<double>(extent(in)))};
            }),
            "[scale] 'scale_0' is not what the function calls with 7 rows instead of 8: it hangs "
            "on their number");
  EXPECT_THAT(dependence([&](const Variables& in) {
                const Variable table = weight({100, 3});
                return Variables{in[0] + slice(table, {0}, {0}, {extent(in)})};
              }),
              HasSubstr("[slice] 'slice_0' is not what"));
  EXPECT_THAT(dependence([&](const Variables& in) {
                return Variables{in[0] + expand(weight({1, 3}), {extent(in), 3})};
              }),
              HasSubstr("[expand] 'expand_0' hangs on the number of rows"));
  EXPECT_THAT(dependence([&](const Variables& in) {
                return Variables{uniform_random({extent(in), 3})};
              }),
              HasSubstr("[uniform_random]"));
}

TEST_F(RowIndependenceTest, OtherStepsForAnotherNumberAreSeen) {
  EXPECT_THAT(dependence([](const Variables& in) {
                const Variable once = relu(in[0]);
                return Variables{in[0].shape()[0] > 7 ? relu(once) : once};
              }),
              HasSubstr("the function calls 2 ops with 8 rows, and 1 with 7"));
  EXPECT_THAT(dependence([](const Variables& in) {
                return in[0].shape()[0] > 7 ? Variables{in[0]} : Variables{};
              }),
              HasSubstr("gives 1 results with 8 rows, and 0 with 7"));
}

TEST_F(RowIndependenceTest, ExtentsThatAreEqualByChanceProveNothing) {
  EXPECT_THAT(
      dependence([](const Variables& in) { return Variables{reduce_sum(in[0], {0}, true)}; }, 1, 2),
      HasSubstr("[reduce_sum] 'reduce_sum_0' mixes rows"));
  EXPECT_THAT(
      dependence([](const Variables& in) { return Variables{unsqueeze(in[0], {0})}; }, 1, 2),
      HasSubstr("[unsqueeze] 'unsqueeze_0' mixes rows"));
}

TEST_F(RowIndependenceTest, BlocksAreNotLookedInto) {
  EXPECT_THAT(dependence([](const Variables& in) {
                const Variable flag =
                    create_persistable({1}, kBool, initializer::constant(0), "flag");
                return Variables{cond(
                    flag, [&] { return relu(in[0]); }, [&] { return in[0] + in[0]; })};
              }),
              HasSubstr("chooses what runs, and its blocks are not looked into"));
}

}  // namespace
}  // namespace loci::program
