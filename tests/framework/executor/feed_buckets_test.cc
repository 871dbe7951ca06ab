#include "framework/executor/feed_buckets.h"

#include "framework/executor/executor_impl.h"
#include "tests/framework/executor/sim_fixture.h"

namespace loci::executor {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::ThrowsMessage;

constexpr std::int64_t kWidth = 3;

class FeedBucketsTest : public SimProgramsTest {
 protected:
  static Tensor rows_of(std::int64_t rows) {
    std::vector<float> elements;
    for (std::int64_t i = 0; i < rows * kWidth; ++i) {
      elements.push_back(static_cast<float>(i % 7) - 3);
    }
    return Tensor::from(elements, {rows, kWidth});
  }
  static CompileOptions buckets(const std::vector<std::int64_t>& extents) {
    CompileOptions options;
    options.buckets = extents;
    return options;
  }

  const Variable x_ = data("x", {-1, kWidth}, kFloat32);
};

TEST_F(FeedBucketsTest, APlanForEachBucketServesAllExtents) {
  const Variable y = softmax(x_ * 0.5);
  const Variable z = x_ + 1.0;
  for (const char* place : {"cpu", "sim:0"}) {
    Executor exact(place, {}, scope_);
    Executor executor(place, buckets({4, 8}), scope_);
    for (const std::int64_t rows : {1, 3, 4, 5, 8, 2, 0, 7}) {
      const Feed feed{{"x", rows_of(rows)}};
      const std::vector<Tensor> results = executor.run(main_, feed, {y, z});
      const std::vector<Tensor> expected = exact.run(main_, feed, {y, z});
      for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_EQ(results[i].shape(), expected[i].shape());
        EXPECT_EQ(results[i].to_vector<float>(), expected[i].to_vector<float>())
            << rows << " rows at " << place;
      }
    }
    EXPECT_EQ(executor.impl()->plans().size(), 2U);
    EXPECT_THAT(executor.bucket_refusals(), IsEmpty());
  }
}

TEST_F(FeedBucketsTest, ThePlanThatIsShownIsTheOneThatRuns) {
  const Variable y = relu(x_);
  Executor executor("cpu", buckets({4}), scope_);
  (void)inspect::plan(executor, main_, {{"x", rows_of(3)}}, {y});
  (void)executor.run(main_, {{"x", rows_of(2)}}, {y});
  EXPECT_EQ(executor.impl()->plans().size(), 1U);
}

TEST_F(FeedBucketsTest, WhatLiesOnADeviceIsFilledUpThere) {
  const Variable y = relu(x_);
  Executor executor("sim:0", buckets({4}), scope_);
  const Tensor fed = rows_of(2).to("sim:0");
  const std::vector<Tensor> results = executor.run(main_, {{"x", fed}}, {Fetch(y).at("sim:0")});
  EXPECT_EQ(results[0].place(), Place("sim:0"));
  EXPECT_EQ(results[0].shape(), Shape({2, kWidth}));
  EXPECT_THAT(results[0].to_vector<float>(), ElementsAre(0, 0, 0, 0, 1, 2));
}

TEST_F(FeedBucketsTest, WhatIsNoRowIsFedAsItIs) {
  const Variable bias = data("bias", {kWidth}, kFloat32);
  const Variable y = x_ + bias;
  Executor executor("cpu", buckets({4}), scope_);
  const std::vector<Tensor> results =
      executor.run(main_, {{"x", rows_of(1)}, {"bias", vector({3, 2, 1})}}, {y});
  EXPECT_THAT(results[0].to_vector<float>(), ElementsAre(0, 0, 0));
  EXPECT_THAT(executor.bucket_refusals(), IsEmpty());
}

TEST_F(FeedBucketsTest, RowsThatHangOnOthersAreNotFilledUp) {
  const Variable centred = x_ - mean(x_);
  const Variable own = relu(x_);
  Executor executor("cpu", buckets({4}), scope_);
  for (const std::int64_t rows : {2, 3}) {
    const std::vector<Tensor> results = executor.run(main_, {{"x", rows_of(rows)}}, {centred});
    EXPECT_EQ(results[0].shape()[0], rows);
  }
  EXPECT_THAT(executor.bucket_refusals(),
              ElementsAre(AllOf(
                  HasSubstr("x float32[4, 3] at cpu: it is not filled up to a bucket"),
                  HasSubstr("mixes rows"), HasSubstr("say CompileOptions::rows_are_independent"))))
      << "once for both";
  (void)executor.run(main_, {{"x", rows_of(2)}}, {own});
  EXPECT_EQ(executor.bucket_refusals().size(), 1U) << "of what is fetched alone";
}

TEST_F(FeedBucketsTest, AnUpdateOfStateIsNotFilledUp) {
  const Variable loss = mean(layers::fc(x_, 1));
  optimizer::SGD(0.1).minimize(loss);
  Executor executor("cpu", buckets({4}), scope_);
  Executor exact("cpu", {}, Scope());
  executor.run(startup_);
  exact.run(startup_);
  for (int step = 0; step < 2; ++step) {
    const Feed feed{{"x", rows_of(3)}};
    EXPECT_EQ(executor.run(main_, feed, {loss})[0].item<float>(),
              exact.run(main_, feed, {loss})[0].item<float>());
  }
  EXPECT_EQ(executor.bucket_refusals().size(), 1U);
}

TEST_F(FeedBucketsTest, MoreRowsThanInAnyAreTakenAsTheyAre) {
  const Variable y = relu(x_);
  Executor executor("cpu", buckets({2, 4}), scope_);
  for (const std::int64_t rows : {5, 9}) {
    EXPECT_EQ(executor.run(main_, {{"x", rows_of(rows)}}, {y})[0].shape()[0], rows);
  }
  EXPECT_THAT(executor.bucket_refusals(),
              ElementsAre("it has more rows than the largest bucket, 4"));
}

TEST_F(FeedBucketsTest, TheUserMaySayThatRowsAreIndependent) {
  const Variable y = x_ + reduce_sum(x_ * 0.0);
  const Variable all = reduce_sum(x_);
  CompileOptions options = buckets({4});
  options.rows_are_independent = true;
  Executor executor("cpu", options, scope_);
  EXPECT_EQ(executor.run(main_, {{"x", rows_of(3)}}, {y})[0].shape()[0], 3);
  EXPECT_THAT(executor.bucket_refusals(), IsEmpty());
  EXPECT_THAT(
      [&] {
        executor.run(main_, {{"x", rows_of(3)}}, {all});
      },
      ThrowsMessage<Error>(HasSubstr("[executor] result 0 is [")));
}

TEST_F(FeedBucketsTest, FeedsHaveTheSameRows) {
  const Variable y = x_ + data("y", {-1, kWidth}, kFloat32);
  Executor executor("cpu", buckets({4}), scope_);
  EXPECT_THAT(
      [&] {
        executor.run(main_, {{"x", rows_of(2)}, {"y", rows_of(1)}}, {y});
      },
      ThrowsMessage<Error>(AllOf(HasSubstr("[executor] 'y' is fed [1, 3], and 'x' [2, 3]"),
                                 HasSubstr("have the same extent"))));
}

TEST_F(FeedBucketsTest, BadFeedsAreRefusedAsWithoutBuckets) {
  const Variable y = relu(x_);
  Executor executor("cpu", buckets({4}), scope_);
  Executor exact("cpu", {}, scope_);
  const auto message = [&](Executor& by, const Feed& feed) {
    try {
      by.run(main_, feed, {y});
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  for (const Feed& feed :
       std::vector<Feed>{{{"x", Tensor()}}, {{"x", vector({1})}}, {{"z", rows_of(1)}}, {}}) {
    const std::string told = message(exact, feed);
    EXPECT_NE(told, "no error");
    EXPECT_EQ(message(executor, feed), told);
  }
}

TEST_F(FeedBucketsTest, BucketsAscend) {
  EXPECT_THAT(
      [&] {
        const Executor executor("cpu", buckets({8, 4}), Scope());
      },
      ThrowsMessage<Error>(HasSubstr("[executor] CompileOptions::buckets are 8, 4; give")));
}

TEST_F(FeedBucketsTest, AChangedProgramIsProvenAgain) {
  const Variable y = relu(x_);
  Executor executor("cpu", buckets({4}), scope_);
  (void)executor.run(main_, {{"x", rows_of(1)}}, {y});
  const Variable z = y - mean(y);
  (void)executor.run(main_, {{"x", rows_of(1)}}, {z});
  EXPECT_EQ(executor.bucket_refusals().size(), 1U);
}

TEST_F(FeedBucketsTest, CapturedRunsAreFilledUpToo) {
  const Variable y = softmax(x_);
  CompileOptions options = buckets({4});
  options.capture = GraphCapture::kAuto;
  Executor executor("sim:0", options, scope_);
  Executor exact("sim:0", {}, scope_);
  for (const std::int64_t rows : {1, 2, 3, 4, 2}) {
    const Feed feed{{"x", rows_of(rows)}};
    EXPECT_EQ(executor.run(main_, feed, {y})[0].to_vector<float>(),
              exact.run(main_, feed, {y})[0].to_vector<float>());
  }
  EXPECT_EQ(executor.impl()->plans().size(), 1U);
  EXPECT_EQ(inspect::capture(executor, main_, {{"x", rows_of(3)}}, {y}).captures, 1U);
}

}  // namespace
}  // namespace loci::executor
