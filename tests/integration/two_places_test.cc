// Programs whose state is read at two places.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <loci/loci.hpp>
#include <string>
#include <vector>

namespace {

using ::testing::Each;
using ::testing::Field;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

constexpr std::int64_t kWords = 50;
constexpr std::int64_t kWidth = 6;

std::vector<loci::inspect::Transfer> rows_since(std::size_t before) {
  std::vector<loci::inspect::Transfer> rows = loci::inspect::transfers();
  rows.erase(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(before));
  return rows;
}

// A table on the host, all else on the device.
class TwoPlacesTest : public ::testing::Test {
 protected:
  TwoPlacesTest() {
    const loci::ProgramGuard building(main_, startup_);
    const loci::Variable ids = loci::data("ids", {4}, loci::kInt64);
    loci::Variable rows;
    {
      const loci::DeviceGuard on_host("cpu");
      rows = loci::layers::embedding(ids, {kWords, kWidth});
    }
    loss_ = loci::mean(loci::square(loci::layers::fc(rows, 3, "fc")));
    optimizer_.minimize(loss_);
    test_ = main_.clone_for_test();
  }

  // Where each set puts the tensor is the user's choice.
  std::vector<float> losses(loci::Executor& executor, int steps, const loci::Place& rate_place) {
    std::vector<float> values;
    for (int step = 0; step < steps; ++step) {
      if (step == 3) executor.scope().set(rate(), loci::Tensor::scalar(0.5F).to(rate_place));
      if (step == 5) executor.scope().find(rate()).fill_(0.25);
      values.push_back(executor.run(main_, feed(step), {loss_})[0].item<float>());
    }
    return values;
  }
  loci::Feed feed(std::int64_t step) const {
    return {{"ids", loci::Tensor::from<std::int64_t>(
                        {step % kWords, 2 * step % kWords, 7, 3 * step % kWords}, {4})}};
  }
  std::vector<float> losses(loci::Executor& executor, int steps) {
    std::vector<float> values;
    for (int step = 0; step < steps; ++step) {
      if (step == 3) executor.scope().set(rate(), loci::Tensor::scalar(0.5F));
      values.push_back(executor.run(main_, feed(step), {loss_})[0].item<float>());
    }
    return values;
  }
  std::string rate() const { return optimizer_.learning_rate().name(); }

  loci::Program main_;
  loci::Program startup_;
  loci::Program test_;
  loci::Variable loss_;
  loci::optimizer::Adam optimizer_{0.01};
};

TEST_F(TwoPlacesTest, AStepCopiesNeitherTheRateNorTheStepCount) {
  loci::Scope scope;
  loci::Executor executor("sim:0", {}, scope);
  executor.run(startup_);
  losses(executor, 1);
  const std::size_t before = loci::inspect::transfers().size();
  for (int step = 1; step < 4; ++step) executor.run(main_, feed(step), {loss_});
  const auto rows = rows_since(before);
  EXPECT_THAT(rows, Not(IsEmpty()));
  EXPECT_THAT(rows, Each(Field(&loci::inspect::Transfer::variable, Not(StartsWith("adam.step")))));
  EXPECT_THAT(rows,
              Each(Field(&loci::inspect::Transfer::variable, Not(StartsWith("learning_rate")))));
}

// The rate changes on the way.
TEST_F(TwoPlacesTest, ComputesWhatOnePlaceComputes) {
  loci::Scope one;
  loci::Executor host("cpu", loci::CompileOptions::exact(), one);
  host.run(startup_);
  loci::Scope two;
  for (const std::string& name : one.names()) two.set(name, one.find(name));
  loci::Executor device("sim:0", loci::CompileOptions::exact(), two);
  const std::vector<float> expected = losses(host, 6);
  const std::vector<float> got = losses(device, 6);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(got[i], expected[i], 1e-5F * std::abs(expected[i])) << i;
  }
}

// It lies at one place, its home in the plan is another, and that one's replica is at the first.
TEST_F(TwoPlacesTest, AChangedRateReachesAllPlaces) {
  loci::Scope one;
  loci::Executor host("cpu", loci::CompileOptions::exact(), one);
  host.run(startup_);
  loci::Scope two;
  for (const std::string& name : one.names()) two.set(name, one.find(name).to("sim:0"));
  loci::Executor device("sim:0", loci::CompileOptions::exact(), two);
  const std::vector<float> expected = losses(host, 9, "cpu");
  const std::vector<float> got = losses(device, 9, "sim:0");
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(got[i], expected[i], 1e-4F * std::abs(expected[i])) << i;
  }
}

TEST_F(TwoPlacesTest, ARateThatIsSetIsCopiedNowhere) {
  loci::Scope scope;
  loci::Executor executor("sim:0", {}, scope);
  executor.run(startup_);
  losses(executor, 2);
  optimizer_.set_learning_rate(0.0, scope);
  const std::vector<float> table = scope.find("embedding_0.weight").to_vector<float>();
  const std::vector<float> weight = scope.find("fc.weight").to_vector<float>();
  const std::size_t before = loci::inspect::transfers().size();
  executor.run(main_, feed(5), {});
  EXPECT_THAT(rows_since(before),
              Each(Field(&loci::inspect::Transfer::variable, Not(StartsWith("learning_rate")))));
  EXPECT_EQ(scope.find("embedding_0.weight").to_vector<float>(), table);
  EXPECT_EQ(scope.find("fc.weight").to_vector<float>(), weight);
}

// In a scope where the program has started, and where it starts later.
TEST_F(TwoPlacesTest, TheRateMayBeSetAfterMinimize) {
  loci::Scope started;
  loci::Executor executor("sim:0", {}, started);
  executor.run(startup_);
  losses(executor, 1);
  EXPECT_EQ(started.find(rate()).item<float>(), 0.01F);
  optimizer_.set_learning_rate(0.25, started);
  EXPECT_EQ(started.find(rate()).item<float>(), 0.25F);
  EXPECT_FALSE(loci::global_scope().has(rate()));
  loci::Scope later;
  loci::Executor("cpu", {}, later).run(startup_);
  EXPECT_EQ(later.find(rate()).item<float>(), 0.25F);
}

// Training on the device, and tests on the host in between: with one scope.
TEST_F(TwoPlacesTest, TestsReadWhatTrainingHasWritten) {
  loci::Scope scope;
  loci::Executor device("sim:0", {}, scope);
  device.run(startup_);
  loci::Executor host("cpu", {}, scope);
  for (int step = 0; step < 3; ++step) {
    device.run(main_, feed(step), {loss_});
    const float there = device.run(test_, feed(9), {loss_.name()})[0].item<float>();
    const float here = host.run(test_, feed(9), {loss_.name()})[0].item<float>();
    EXPECT_NEAR(here, there, 1e-5F * std::abs(there));
  }
  EXPECT_EQ(scope.find("fc.weight").place(), loci::Place("sim:0"));
  // The first copy for a test is there for all that follow until training changes it.
  const std::size_t before = loci::inspect::transfers().size();
  host.run(test_, feed(9), {loss_.name()});
  EXPECT_THAT(rows_since(before), IsEmpty());
}

}  // namespace
