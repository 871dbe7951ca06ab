// Look-ups by id, and updates of rows: ids that are not in the table.
#include <fmt/format.h>

#include <limits>
#include <loci/loci.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loci {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class EmbeddingTest : public ::testing::Test {
 protected:
  std::vector<Tensor> run(const Feed& feed, const std::vector<Fetch>& fetch) {
    executor_.run(startup_);
    return executor_.run(main_, feed, fetch);
  }

  Program main_;
  Program startup_;
  ProgramGuard guard_{main_, startup_};
  Scope scope_;
  Executor executor_{"cpu", CompileOptions(), scope_};
};

TEST_F(EmbeddingTest, NamesThePositionAndTheIdThatIsNotThere) {
  const Variable out = layers::embedding(data("ids", {3}, kInt64), {10, 4});
  const auto feed = [&](std::int64_t id) {
    run({{"ids", Tensor::from<std::int64_t>({1, 9, id}, {3})}}, {out});
  };
  EXPECT_NO_THROW(feed(0));
  for (const std::int64_t id :
       {std::int64_t{10}, std::int64_t{-1}, std::numeric_limits<std::int64_t>::max(),
        std::numeric_limits<std::int64_t>::min()}) {
    EXPECT_THAT([&] { feed(id); },
                ThrowsMessage<Error>(HasSubstr(
                    fmt::format("the id at position 2 is {}; the table has rows [0, 10)", id))));
  }
}

TEST_F(EmbeddingTest, AnUpdateOfARowThatIsNotThereChangesNothing) {
  const Variable w = create_parameter({4, 2}, kFloat32, initializer::constant(1), "w");
  sgd(w, data("grad", {2, 2}, kFloat32), data("rate", {}, kFloat32), data("rows", {2}, kInt32));
  const auto update = [&](std::int32_t row) {
    run({{"grad", Tensor::from<float>({1, 2, 3, 4}, {2, 2})},
         {"rate", Tensor::from<float>({0.5F}, {})},
         {"rows", Tensor::from<std::int32_t>({3, row}, {2})}},
        {});
  };
  EXPECT_THAT([&] { update(4); },
              ThrowsMessage<Error>(HasSubstr("the id at position 1 is 4; the table has rows")));
  EXPECT_EQ(scope_.find("w").data<float>()[6], 1);
  update(3);
  EXPECT_EQ(scope_.find("w").data<float>()[6], 1 - 0.5F * (1 + 3));
  EXPECT_EQ(scope_.find("w").data<float>()[0], 1);
}

// Every optimizer gives the same with rows as with the dense gradient that they stand for.
TEST_F(EmbeddingTest, TrainingOnRowsIsTrainingOnTheDenseGradient) {
  const auto train = [](bool sparse, int which) {
    Program main;
    Program startup;
    const ProgramGuard guard(main, startup);
    const Variable ids = data("ids", {5}, kInt64);
    const Variable w = create_parameter({7, 3}, kFloat32, initializer::constant(0.5), "w");
    const Variable rows = embedding(w, ids, {.padding_idx = 1, .sparse = sparse});
    const Variable loss = mean(elementwise_mul(rows, rows));
    if (which == 0) optimizer::SGD(0.5).minimize(loss);
    if (which == 1) optimizer::Momentum(0.5).minimize(loss);
    if (which == 2) optimizer::Adam(0.5).minimize(loss);
    Scope scope;
    Executor executor("cpu", CompileOptions(), scope);
    executor.run(startup);
    for (int step = 0; step < 3; ++step) {
      executor.run(main, {{"ids", Tensor::from<std::int64_t>({1, 6, 6, step, 2}, {5})}}, {});
    }
    const Tensor trained = scope.find("w");
    return std::vector<float>(trained.data<float>(), trained.data<float>() + trained.numel());
  };
  for (const int which : {0, 1, 2}) EXPECT_EQ(train(true, which), train(false, which)) << which;
}

}  // namespace
}  // namespace loci
