// Programs whose graphs follow what their runs bind: by calls of the driver's, which are counted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/loci.hpp>
#include <vector>

#include "tests/plugins/cuda_graph/counts_driver_calls.h"

namespace loci::test {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

using CudaGraphFollowingTest = CountsDriverCalls;

// A program y(x) over variables of a scope, captured, and what becomes of x in other memory.
class Followed {
 public:
  template <class Body>
  explicit Followed(const Tensor& x, Body&& body)
      : scope_(), executor_("cuda:0", CompileOptions::none(), scope_), graph_("cuda:0") {
    {
      const ProgramGuard building(main_, Program());
      Variable given = data("x", x.shape(), kFloat32);
      given.set_persistable(true);
      Variable y = body(given);
      y.rename("y");
      y.set_persistable(true);
    }
    set(x);
    executor_.run(main_);
    graph_.capture_begin();
    executor_.run(main_);
    graph_.capture_end();
  }
  void set(const Tensor& x) {
    if (!kept_.empty()) scope_.erase("x");
    kept_.push_back(x);  // so that each has an address of its own
    scope_.set("x", x);
  }
  std::vector<float> replay() {
    graph_.replay();
    return scope_.find("y").to_vector<float>();
  }
  // Does not wait for what it gives.
  Tensor replay_later() {
    graph_.replay();
    const Tensor y = scope_.find("y");
    const Tensor kept = full(y.shape(), 0, kFloat32, "cuda:0");
    kept.copy_(y);
    return kept;
  }
  [[nodiscard]] GraphStats stats() const { return graph_.stats(); }

 private:
  const Program main_;
  Scope scope_;
  Executor executor_;
  Graph graph_;
  std::vector<Tensor> kept_;
};

TEST_F(CudaGraphFollowingTest, AVariableInOtherMemoryIsOneCallForEachNodeThatHasIt) {
  Followed followed(there({1, 2}), [](const Variable& x) { return relu(x) * exp(x) * x; });
  (void)followed.replay();
  followed.set(there({-1, 0}));
  EXPECT_THAT(
      DriverCalls::of([&] { EXPECT_THAT(followed.replay(), ElementsAre(0, 0)); }),
      UnorderedElementsAre(Pair("cuGraphExecKernelNodeSetParams_v2", 3),
                           Pair("cuGraphKernelNodeGetParams_v2", 3), Pair("cuGraphLaunch", 1)));
  followed.set(there({0, -3}));
  EXPECT_THAT(
      DriverCalls::of([&] { EXPECT_THAT(followed.replay(), ElementsAre(0, 0)); }),
      UnorderedElementsAre(Pair("cuGraphExecKernelNodeSetParams_v2", 3), Pair("cuGraphLaunch", 1)))
      << "what is known of its kernels stays known";
  EXPECT_THAT(DriverCalls::of([&] { (void)followed.replay(); }),
              ElementsAre(Pair("cuGraphLaunch", 1)));
  EXPECT_EQ(followed.stats().patches, 6U);
  EXPECT_EQ(followed.stats().recaptures, 0U);
}

// Replays that are queued behind other work keep what they were launched with.
TEST_F(CudaGraphFollowingTest, H2_AnExchangeIsForLaterReplaysAlone) {
  Followed followed(there({1, 2}), [](const Variable& x) { return relu(x) * x; });
  const Tensor square = full({64, 64}, 0.01, kFloat32).to("cuda:0");
  Tensor under_way = square;
  for (int i = 0; i < 3; ++i) under_way = matmul(under_way, square);
  std::vector<Tensor> results;
  for (int i = 1; i <= 3; ++i) {
    followed.set(there({static_cast<float>(i), -1}));
    results.push_back(followed.replay_later());
  }
  for (int i = 1; i <= 3; ++i) {
    EXPECT_THAT(results[static_cast<std::size_t>(i - 1)].to_vector<float>(), ElementsAre(i * i, 0));
  }
  EXPECT_EQ(followed.stats().patches, 6U);
}

TEST_F(CudaGraphFollowingTest, PartsOfAVariableMoveWithIt) {
  const auto body = [](const Variable& x) {
    return concat(std::vector<Variable>{slice(x, {0}, {4}, {8}), x}, 0);
  };
  Followed followed(there({1, 2, 3, 4, 5, 6, 7, 8}), body);
  followed.set(there({10, 20, 30, 40, 50, 60, 70, 80}));
  EXPECT_THAT(followed.replay(), ElementsAre(50, 60, 70, 80, 10, 20, 30, 40, 50, 60, 70, 80));
  EXPECT_GT(followed.stats().patches, 0U);
  EXPECT_EQ(followed.stats().recaptures, 0U);
}

// Which of the two parameters is which argument, nobody can tell.
TEST_F(CudaGraphFollowingTest, AVariableThatIsTwoArgumentsIsRecordedAnew) {
  Followed followed(there({1, 2}), [](const Variable& x) { return x + x; });
  followed.set(there({3, 4}));
  EXPECT_THAT(followed.replay(), ElementsAre(6, 8));
  EXPECT_EQ(followed.stats().patches, 0U);
  EXPECT_EQ(followed.stats().recaptures, 1U);
  EXPECT_EQ(followed.stats().reinstantiations, 0U);
}

// A library owns what it makes of addresses.
TEST_F(CudaGraphFollowingTest, AVariableOfALibrarysKernelIsRecordedAnew) {
  const Tensor eye = there({1, 0, 0, 1}).reshaped({2, 2});
  Followed followed(eye, [](const Variable& x) { return matmul(x, fill_constant({2, 2}, 3.0F)); });
  followed.set((eye + eye).to("cuda:0"));
  EXPECT_THAT(followed.replay(), ElementsAre(6, 6, 6, 6));
  EXPECT_EQ(followed.stats().patches, 0U);
  EXPECT_EQ(followed.stats().recaptures, 1U);
}

// A program that captures by itself, with what its runs are fed and fetch there.
class Fed {
 public:
  template <class Body>
  explicit Fed(std::int64_t count, Body&& body) : executor_("cuda:0", options(), Scope()) {
    const ProgramGuard building(program_);
    y_ = body(data("x", {count}, kFloat32));
  }
  std::vector<float> run(const Tensor& x) {
    kept_.push_back(x);  // so that each has an address of its own
    kept_.push_back(executor_.run(program_, {{"x", x}}, {Fetch(y_).at("cuda:0")})[0]);
    return kept_.back().to_vector<float>();
  }

 private:
  static CompileOptions options() {
    CompileOptions options = CompileOptions::none();
    options.capture = GraphCapture::kAuto;
    return options;
  }

  const Program program_;
  Executor executor_;
  Variable y_;
  std::vector<Tensor> kept_;
};

// They would be copied around the graph otherwise.
TEST_F(CudaGraphFollowingTest, WhatIsFedAndFetchedIsNotCopied) {
  Fed fed(3, [](const Variable& x) { return exp(relu(x)) * x; });
  for (int i = 0; i < 4; ++i) (void)fed.run(there({1, 2, 3}));
  const Tensor x = there({-5, -6, -7});
  EXPECT_THAT(
      DriverCalls::of([&] { EXPECT_THAT(fed.run(x), ElementsAre(-5, -6, -7)); }),
      UnorderedElementsAre(Pair("cuGraphExecKernelNodeSetParams_v2", 2), Pair("cuGraphLaunch", 1)));
}

// The kernel goes by what rows are aligned to: the one for 16 bytes cannot begin elsewhere.
TEST_F(CudaGraphFollowingTest, WhatIsAlignedOtherwiseIsRecordedAnew) {
  const auto body = [](const Variable& x) { return concat(std::vector<Variable>{x, relu(x)}, 0); };
  Fed fed(4, body);
  for (int i = 0; i < 4; ++i) (void)fed.run(there({1, 2, 3, 4}));
  const Tensor all = there({1, 2, 3, 4, 5});
  const auto calls = DriverCalls::of(
      [&] { EXPECT_THAT(fed.run(all.rows(1, 5)), ElementsAre(2, 3, 4, 5, 2, 3, 4, 5)); });
  EXPECT_EQ(calls.count("cuStreamBeginCapture_v2"), 1U);
}

}  // namespace
}  // namespace loci::test
