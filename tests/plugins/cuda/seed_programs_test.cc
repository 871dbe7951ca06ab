// The programs of the tutorials on switching devices, captured graphs, asynchronous and hybrid
// programs and branches, over two emulated devices. The examples run them on one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/loci.hpp>
#include <string>
#include <vector>

#include "tests/plugins/cuda/double_questions.h"

namespace loci::test {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using Integers = std::vector<std::int64_t>;

class CudaSeedProgramsTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { use_two_devices(); }
  void TearDown() override { EXPECT_EQ(findings_since(found_), ""); }

  static Tensor number(double value, const Place& place = "cuda:0") {
    return full({1}, value, kFloat32, place);
  }

  const unsigned found_ = finding_count();
};

// fill_constant -> shape -> slice -> crop_tensor, the slice on each device and on the host.
TEST_F(CudaSeedProgramsTest, TheSliceMayBeAnywhere) {
  for (const char* place : {"cuda:0", "cuda:1", "cpu"}) {
    const Program main;
    const ProgramGuard building(main, Program());
    const Variable data1 = fill_constant({1, 3, 8, 8}, 0.5);
    Variable extents = shape(fill_constant({1, 3, 5, 5}, 0.5));
    {
      const DeviceGuard guard{Place(place)};
      extents = slice(extents, Integers{0}, Integers{0}, Integers{4});
    }
    const Variable out = crop_tensor(data1, extents);
    for (const CompileOptions& options : {CompileOptions::none(), CompileOptions()}) {
      Executor executor("cuda:0", options, Scope());
      const Tensor result = executor.run(main, {}, {out}).front();
      EXPECT_EQ(result.shape(), (Shape{1, 3, 5, 5}));
      EXPECT_THAT(result.to_vector<float>(), Each(0.5F));
    }
  }
}

// embedding -> l2_normalize -> square_error_cost -> mean -> SGD, the table on the host.
TEST_F(CudaSeedProgramsTest, TheTableStaysOnTheHost) {
  const Program main;
  const Program startup;
  const ProgramGuard building(main, startup);
  const Variable ids = fill_constant({1}, 128, kInt64);
  const Variable label = fill_constant({1, 150}, 0.5);
  Variable rows;
  {
    const DeviceGuard guard{Place("cpu")};
    rows = layers::embedding(ids, {1000, 150});
  }
  const Variable cost = mean(square_error_cost(l2_normalize(rows, -1), label));
  optimizer::SGD(0.001).minimize(cost);
  const auto losses_at = [&](const Place& place) {
    CompileOptions options = CompileOptions::exact();
    options.fallback = FallbackPolicy::kError;
    Executor executor(place, options, Scope());
    executor.run(startup);
    std::vector<float> values(4);
    for (float& value : values) {
      value = executor.run(main, {}, {cost}).front().item<float>();
    }
    return values;
  };
  const std::vector<float> expected = losses_at("cpu");
  EXPECT_LT(expected.back(), expected.front());
  for (const char* place : {"cuda:0", "cuda:1"}) {
    const std::vector<float> got = losses_at(place);
    for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(got[i], expected[i], 1e-5F);
  }
}

// input + 10, on both devices, in turns.
TEST_F(CudaSeedProgramsTest, EachDeviceReplaysItsGraph) {
  const Tensor inputs[] = {number(1, "cuda:0"), number(1, "cuda:1")};
  Graph graphs[] = {Graph("cuda:0"), Graph("cuda:1")};
  Tensor outputs[2];
  for (int i = 0; i < 2; ++i) {
    graphs[i].capture_begin();
    outputs[i] = inputs[i] + 10.0;
    graphs[i].capture_end();
  }
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 2; ++i) {
      inputs[i].fill_(round + 100 * i);
      graphs[i].replay();
    }
    EXPECT_EQ(outputs[0].item<float>(), static_cast<float>(round + 10));
    EXPECT_EQ(outputs[1].item<float>(), static_cast<float>(round + 110));
  }
}

TEST_F(CudaSeedProgramsTest, FancyFuncIsImperativeAndAProgram) {
  const auto fancy = [](const std::vector<Tensor>& in) {
    return std::vector<Tensor>{(in[0] + in[1]) + (in[2] + in[3])};
  };
  const std::vector<Tensor> numbers{number(1), number(2), number(3), number(4)};
  EXPECT_EQ(fancy(numbers).front().item<float>(), 10);
  const CompiledFunction compiled = compile(fancy, numbers);
  const Tensor sum = compiled(numbers).front();
  EXPECT_EQ(sum.place(), Place("cuda:0"));
  EXPECT_EQ(sum.item<float>(), 10);
}

// Loops of products on two devices, neither of which is waited for.
TEST_F(CudaSeedProgramsTest, TwoDevicesComputeAtOnceWhatEachComputesAlone) {
  const auto products = [](const Place& place) {
    seed(7);
    const Tensor x = rand({20, 20}, 0.0, 0.1, kFloat32, place);
    Tensor product = x;
    for (int i = 0; i < 8; ++i) product = matmul(product, x) + x;
    return product;
  };
  std::vector<float> alone;
  {
    const SerialMode serial;
    alone = products("cuda:0").to_vector<float>();
  }
  const Tensor first = products("cuda:0");
  const Tensor second = products("cuda:1");
  const Tensor both = first.to("cuda:1") + second;
  EXPECT_EQ(first.to_vector<float>(), alone);
  EXPECT_EQ(second.to_vector<float>(), alone);
  for (float& value : alone) value += value;
  EXPECT_EQ(both.to_vector<float>(), alone);
}

// Branches of other dtypes and shapes, their predicates here, there and on the host.
TEST_F(CudaSeedProgramsTest, PredicatesMayBeAnywhere) {
  for (const char* place : {"cuda:0", "cuda:1", "cpu"}) {
    const Program main;
    const ProgramGuard building(main, Program());
    Variable below;
    Variable above;
    {
      const DeviceGuard guard{Place(place)};
      const Variable x = fill_constant({1}, 0.3);
      below = less_than(fill_constant({1}, 0.2), x);
      above = less_than(x, fill_constant({1}, 0.1));
    }
    const auto first = [] { return fill_constant({1, 2}, 1); };
    const auto second = [] { return fill_constant({2, 2}, 2, kInt32); };
    const auto third = [] { return fill_constant({3}, 3, kInt32); };
    const Variable chosen = case_of({{below, first}, {above, second}}, third);
    const Variable otherwise = case_of({{above, second}, {above, third}});
    Executor executor("cuda:0", CompileOptions::none(), Scope());
    for (int i = 0; i < 3; ++i) {
      const auto results = executor.run(main, {}, {chosen, otherwise});
      EXPECT_THAT(results[0].to_vector<float>(), ElementsAre(1, 1));
      EXPECT_THAT(results[1].to_vector<std::int32_t>(), ElementsAre(3, 3, 3));
    }
  }
}

}  // namespace
}  // namespace loci::test
