#include <atomic>
#include <thread>

#include "tests/framework/executor/programs_fixture.h"

namespace loci::executor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class ExecutorTest : public ProgramsTest {
 protected:
  std::vector<Tensor> run(const Feed& feed, const std::vector<Fetch>& fetch,
                          const Place& place = "cpu") {
    return Executor(place, {}, scope_).run(main_, feed, fetch);
  }
};

TEST_F(ExecutorTest, FeedsComputesAndFetches) {
  const Variable x = data("x", {-1}, kFloat32);
  const Variable y = relu(scale(x, 2.0, 1.0));
  const auto fetched = run({{"x", vector({-2, 0, 3})}}, {y});
  EXPECT_THAT(fetched[0].to_vector<float>(), ElementsAre(0, 1, 7));
}

TEST_F(ExecutorTest, FetchedValuesOwnTheirMemory) {
  const Variable x = data("x", {-1}, kFloat32);
  const Variable y = scale(x, 2.0);
  Executor executor("cpu", {}, scope_);
  const Tensor first = executor.run(main_, {{"x", vector({1})}}, {y})[0];
  const Tensor second = executor.run(main_, {{"x", vector({5})}}, {y})[0];
  EXPECT_EQ(first.item<float>(), 2.0F);
  EXPECT_EQ(second.item<float>(), 10.0F);
}

TEST_F(ExecutorTest, AFeedIsNeverWrittenTo) {
  const Variable x = data("x", {-1}, kFloat32);
  const Variable y = relu(x);
  const Tensor fed = vector({-1, 2});
  run({{"x", fed}}, {scale(y, 3.0)});
  EXPECT_THAT(fed.to_vector<float>(), ElementsAre(-1, 2));
}

TEST_F(ExecutorTest, FetchesFeedsIntermediatesAndTheSameTwice) {
  const Variable x = data("x", {-1}, kFloat32);
  const Variable y = scale(x, 2.0);
  const Variable z = relu(y);
  const auto fetched = run({{"x", vector({-1, 4})}}, {x, y, z, y});
  EXPECT_THAT(fetched[0].to_vector<float>(), ElementsAre(-1, 4));
  EXPECT_THAT(fetched[1].to_vector<float>(), ElementsAre(-2, 8));
  EXPECT_THAT(fetched[2].to_vector<float>(), ElementsAre(0, 8));
  EXPECT_THAT(fetched[3].to_vector<float>(), ElementsAre(-2, 8));
}

// Where it is computed, or elsewhere.
TEST_F(ExecutorTest, AFetchMayStayOnTheDevice) {
  const Variable x = data("x", {-1}, kFloat32);
  const Variable y = relu(x);
  Executor executor("toy:0", {}, scope_);
  const Feed feed{{"x", vector({-1, 2}).to("toy:0")}};
  synchronize();
  const auto run = [&](const Fetch& fetch) { return executor.run(main_, feed, {fetch})[0]; };
  transfer::clear_rows();
  const Tensor there = run(Fetch(y).at("toy"));
  EXPECT_TRUE(transfer::rows().empty());
  EXPECT_EQ(there.place(), Place("toy:0"));
  const Tensor here = run(y);
  ASSERT_EQ(transfer::rows().size(), 1U);
  EXPECT_STREQ(transfer::rows()[0].labels.producer, "relu_0");
  EXPECT_EQ(transfer::rows()[0].labels.dtype, kFloat32);
  EXPECT_EQ(here.place(), Place());
  for (const Tensor& fetched : {there, here}) {
    EXPECT_THAT(fetched.to_vector<float>(), ElementsAre(0, 2));
  }
  // Neither of the two plans serves the other's caller.
  EXPECT_EQ(run(Fetch(y).at("toy:0")).place(), Place("toy:0"));
  EXPECT_EQ(run(y).place(), Place());
  EXPECT_THAT([&] { run(Fetch(y).at("absent:0")); }, ThrowsMessage<Error>(HasSubstr("absent")));
}

TEST_F(ExecutorTest, WhatIsComputedOnTheHostIsFetchedToTheDevice) {
  const Variable x = data("x", {-1}, kFloat32);
  const Variable y = relu(x);
  const auto fetched =
      run({{"x", vector({-1, 2})}}, {y, Fetch(y).at("toy:0"), Fetch(x).at("toy:0")});
  EXPECT_EQ(fetched[0].place(), Place());
  EXPECT_EQ(fetched[1].place(), Place("toy:0"));
  EXPECT_THAT(fetched[1].to_vector<float>(), ElementsAre(0, 2));
  EXPECT_THAT(fetched[2].to_vector<float>(), ElementsAre(-1, 2));
}

TEST_F(ExecutorTest, ANewBatchSizeGetsAPlanOfItsOwn) {
  const Variable x = data("x", {-1}, kFloat32);
  const Variable y = scale(x, 2.0);
  Executor executor("cpu", {}, scope_);
  EXPECT_EQ(executor.run(main_, {{"x", vector({1})}}, {y})[0].numel(), 1);
  EXPECT_EQ(executor.run(main_, {{"x", vector({1, 2, 3})}}, {y})[0].numel(), 3);
  EXPECT_EQ(executor.run(main_, {{"x", vector({})}}, {y})[0].numel(), 0);
}

TEST_F(ExecutorTest, SeesOperatorsAddedSinceTheLastRun) {
  const Variable x = data("x", {-1}, kFloat32);
  Executor executor("cpu", {}, scope_);
  const Variable y = scale(x, 2.0);
  executor.run(main_, {{"x", vector({1})}}, {y});
  const Variable z = scale(y, 2.0);
  EXPECT_EQ(executor.run(main_, {{"x", vector({1})}}, {z})[0].item<float>(), 4.0F);
}

TEST_F(ExecutorTest, StartupMakesParametersWithStableAddresses) {
  const Variable w = create_parameter({2}, kFloat32, initializer::constant(3.0), "w");
  const Variable y = elementwise_mul(data("x", {-1}, kFloat32), w);
  Executor executor("cpu", {}, scope_);
  executor.run(startup_);
  const void* address = scope_.find("w").raw_data();
  executor.run(startup_);
  EXPECT_EQ(scope_.find("w").raw_data(), address);
  scope_.set("w", vector({4, 5}));
  EXPECT_EQ(scope_.find("w").raw_data(), address);
  EXPECT_THAT(executor.run(main_, {{"x", vector({1, 2})}}, {y})[0].to_vector<float>(),
              ElementsAre(4, 10));
}

TEST_F(ExecutorTest, FeedsIntoAPersistableVariable) {
  const Variable w = create_parameter({2}, kFloat32, initializer::constant(0.0), "w");
  Executor executor("cpu", {}, scope_);
  executor.run(startup_);
  executor.run(main_, {{"w", vector({1, 2})}}, {w});
  EXPECT_THAT(scope_.find("w").to_vector<float>(), ElementsAre(1, 2));
}

TEST_F(ExecutorTest, SgdTrains) {
  const Variable w = create_parameter({1}, kFloat32, initializer::constant(0.0), "w");
  const Variable error = elementwise_sub(w, data("target", {1}, kFloat32));
  const Variable loss = mean(elementwise_mul(error, error));
  optimizer::SGD(0.1).minimize(loss);
  Executor executor("cpu", {}, scope_);
  executor.run(startup_);
  for (int i = 0; i < 50; ++i) executor.run(main_, {{"target", vector({2})}});
  EXPECT_NEAR(scope_.find("w").item<float>(), 2.0F, 1e-3F);
}

TEST_F(ExecutorTest, RandomOperatorsRepeatPerSeedAndAdvancePerRun) {
  const Variable noise = uniform_random({4});
  const auto two_runs = [&] {
    Scope scope;
    Executor executor("cpu", {}, scope);
    return std::pair(executor.run(main_, {}, {noise})[0].to_vector<float>(),
                     executor.run(main_, {}, {noise})[0].to_vector<float>());
  };
  const auto [first, second] = two_runs();
  EXPECT_NE(first, second);
  EXPECT_EQ(two_runs(), std::pair(first, second));
}

TEST_F(ExecutorTest, ConcurrentRunsHaveFramesOfTheirOwn) {
  const Variable x = data("x", {-1}, kFloat32);
  Variable y = x;
  for (int i = 0; i < 20; ++i) y = scale(y, 1.0, 1.0);
  Executor executor("cpu", {}, scope_);
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      const auto value = static_cast<float>(t);
      for (int i = 0; i < 200; ++i) {
        const auto fetched = executor.run(main_, {{"x", vector({value, value})}}, {y});
        if (fetched[0].to_vector<float>() != std::vector<float>{value + 20, value + 20}) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong.load(), 0);
}

TEST_F(ExecutorTest, RefusesFeedsThatDoNotFit) {
  const Variable y = relu(data("image", {-1, 2}, kFloat32));
  const auto feeding = [&](const std::string& name, const Tensor& tensor) {
    return [this, y, name, tensor] { run({{name, tensor}}, {y}); };
  };
  const Tensor good = Tensor::from<float>({1, 2}, {1, 2});
  EXPECT_THAT(feeding("imag", good), ThrowsMessage<Error>(HasSubstr("did you mean 'image'")));
  EXPECT_THAT(
      feeding("image", Tensor::from<double>({1, 2}, {1, 2})),
      ThrowsMessage<Error>(HasSubstr("float64[1, 2], but the program takes float32[-1, 2]")));
  EXPECT_THAT(feeding("image", Tensor::from<float>({1, 2, 3}, {1, 3})),
              ThrowsMessage<Error>(HasSubstr("float32[1, 3], but the program takes")));
  EXPECT_THAT(feeding(y.name(), good),
              ThrowsMessage<Error>(HasSubstr("computed by the program and cannot be fed")));
  EXPECT_THAT(feeding("image", Tensor()), ThrowsMessage<Error>(HasSubstr("undefined")));
  const auto twice = [&] { run({{"image", good}, {"image", good}}, {y}); };
  EXPECT_THAT(twice, ThrowsMessage<Error>(HasSubstr("fed twice")));
  const auto never = [&] { run({}, {y}); };
  EXPECT_THAT(never, ThrowsMessage<Error>(HasSubstr("'image' float32[-1, 2] is not fed")));
}

TEST_F(ExecutorTest, RefusesUnknownFetchesAndMissingParameters) {
  const Variable w = create_parameter({2}, kFloat32, initializer::constant(1.0), "weight");
  const Variable y = relu(w);
  EXPECT_THAT([&] { run({}, {"weigh"}); },
              ThrowsMessage<Error>(HasSubstr("did you mean 'weight'")));
  EXPECT_THAT([&] { run({}, {y}); },
              ThrowsMessage<Error>(HasSubstr("'weight' is not in the scope; run the startup")));
}

TEST_F(ExecutorTest, NamesADeviceThatIsNotThere) {
  EXPECT_THAT([] { Executor executor("warp:3"); }, ThrowsMessage<Error>(HasSubstr("warp:3")));
}

}  // namespace
}  // namespace loci::executor
