#include "framework/program/prune.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/ops.hpp>

namespace loci::program {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class PruneTest : public ::testing::Test {
 protected:
  static std::vector<std::string> types(const Program& program) {
    std::vector<std::string> result;
    for (const Operator& op : program.impl()->main().ops) result.push_back(op.type());
    return result;
  }

  Program main_;
  ProgramGuard guard_{main_};
  Variable x_ = data("x", {-1, 3}, kFloat32);
  Variable label_ = data("label", {-1, 1}, kInt64);
  Variable w_ = create_parameter({3, 4}, kFloat32, initializer::constant(0), "w");
  Variable rate_ = create_persistable({}, kFloat32, initializer::constant(0), "rate");
  Variable y_ = matmul(x_, w_);
};

TEST_F(PruneTest, KeepsOnlyWhatIsNeeded) {
  const Variable hidden = relu(y_);
  const Variable loss = mean(softmax_with_cross_entropy(hidden, label_));
  sgd(w_, w_, rate_);
  const Program pruned = main_.prune({x_}, {hidden});
  EXPECT_THAT(types(pruned), ElementsAre("matmul", "relu"));
  EXPECT_EQ(pruned.impl()->main().find("label"), kNoVar);
  EXPECT_EQ(pruned.impl()->main().find("rate"), kNoVar);
  EXPECT_EQ(pruned.impl()->main().find(loss.name()), kNoVar);
  EXPECT_NO_THROW(pruned.verify());
  EXPECT_EQ(main_.impl()->main().ops.size(), 5U);
}

TEST_F(PruneTest, AnUpdateStaysIfItsStateIsAskedFor) {
  sgd(w_, w_, rate_);
  EXPECT_THAT(types(main_.prune({x_}, {y_})), ElementsAre("matmul"));
  EXPECT_THAT(types(main_.prune({}, {w_})), ElementsAre("sgd"));
}

TEST_F(PruneTest, AnUpdateStaysIfItsStateIsReadLater) {
  sgd(w_, w_, rate_);
  const Variable after = relu(w_);
  EXPECT_THAT(types(main_.prune({}, {after})), ElementsAre("sgd", "relu"));
}

TEST_F(PruneTest, AFeedCutsOffWhatComputesIt) {
  const Variable hidden = relu(y_);
  const Program pruned = main_.prune({y_}, {hidden});
  EXPECT_THAT(types(pruned), ElementsAre("relu"));
  EXPECT_TRUE(pruned.impl()->main().var(pruned.find(y_.name()).id()).is_data);
  EXPECT_NO_THROW(pruned.verify());
}

TEST_F(PruneTest, KeepsAllOutputsOfAnOperator) {
  const Variable loss = softmax_with_cross_entropy(y_, label_);
  const Program pruned = main_.prune({x_, label_}, {loss});
  EXPECT_NE(pruned.impl()->main().find("softmax_with_cross_entropy_0.softmax"), kNoVar);
  EXPECT_NO_THROW(pruned.verify());
}

TEST_F(PruneTest, NewOperatorsGetNewNames) {
  const Program pruned = main_.prune({x_}, {y_});
  EXPECT_EQ(matmul(pruned.find("x"), pruned.find("w")).name(), "matmul_1.out");
}

TEST_F(PruneTest, RefusesWhatCannotBeFed) {
  const Variable loss = softmax_with_cross_entropy(y_, label_);
  EXPECT_THAT([&] { (void)main_.prune({x_}, {loss}); },
              ThrowsMessage<Error>(HasSubstr("data variable 'label'")));
  EXPECT_THAT(
      [&] {
        (void)main_.prune({x_, x_}, {y_});
      },
      ThrowsMessage<Error>(HasSubstr("'x' is given twice")));
  const Variable softmax = main_.find("softmax_with_cross_entropy_0.softmax");
  EXPECT_THAT(
      [&] {
        (void)main_.prune({x_, label_, softmax}, {loss});
      },
      ThrowsMessage<Error>(HasSubstr("is also computed by 'softmax_with_cross_entropy_0'")));
}

}  // namespace
}  // namespace loci::program
