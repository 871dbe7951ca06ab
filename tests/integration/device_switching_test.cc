// The programs of the tutorial on switching devices, with its op names, on the CPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <loci/loci.hpp>

namespace loci {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Integers = std::vector<std::int64_t>;

class DeviceSwitchingTest : public ::testing::Test {
 protected:
  std::vector<std::string> operators(const CompileOptions& options,
                                     const std::vector<Fetch>& fetch) {
    std::vector<std::string> types;
    const Executor executor("cpu", options, scope_);
    for (const auto& op : inspect::plan(executor, main_, {}, fetch).operators) {
      types.push_back(op.type);
    }
    return types;
  }

  Program main_;
  Program startup_;
  ProgramGuard guard_{main_, startup_};
  Scope scope_;
};

// fill_constant -> shape -> slice -> crop_tensor.
TEST_F(DeviceSwitchingTest, CropsToTheShapeOfAnother) {
  const Variable data1 = fill_constant({1, 3, 8, 8}, 0.5);
  const Variable data2 = fill_constant({1, 3, 5, 5}, 0.5);
  Variable extents = shape(data2);
  extents = slice(extents, Integers{0}, Integers{0}, Integers{4});
  const Variable out = crop_tensor(data1, extents);
  for (const CompileOptions& options :
       {CompileOptions::none(), CompileOptions::exact(), CompileOptions()}) {
    Executor executor("cpu", options, scope_);
    executor.run(startup_);
    for (int i = 0; i < 10; ++i) {
      const Tensor result = executor.run(main_, {}, {out}).front();
      EXPECT_EQ(result.shape(), (Shape{1, 3, 5, 5}));
      EXPECT_THAT(result.to_vector<float>(), Each(0.5F));
    }
  }
  EXPECT_THAT(operators(CompileOptions::none(), {out}),
              ElementsAre("fill_constant", "fill_constant", "shape", "slice"))
      << "crop_tensor waits for the values of its shape";
  EXPECT_THAT(main_.to_string(), HasSubstr("crop_tensor"));
}

// embedding -> l2_normalize -> square_error_cost -> mean -> SGD, on a small table.
TEST_F(DeviceSwitchingTest, TrainsAnEmbedding) {
  const Variable ids = fill_constant({1}, 128, kInt64);
  const Variable label = fill_constant({1, 150}, 0.5);
  const Variable emb = layers::embedding(ids, {1000, 150});
  const Variable out = l2_normalize(emb, -1);
  const Variable avg_cost = mean(square_error_cost(out, label));
  const auto updated = optimizer::SGD(0.001).minimize(avg_cost);
  EXPECT_TRUE(updated.front().rows.defined()) << "the gradient has the touched rows only";
  Executor executor("cpu", CompileOptions(), scope_);
  executor.run(startup_);
  float before = executor.run(main_, {}, {avg_cost}).front().item<float>();
  for (int step = 0; step < 10; ++step) {
    const float loss = executor.run(main_, {}, {avg_cost}).front().item<float>();
    EXPECT_LT(loss, before);
    before = loss;
  }
  EXPECT_THAT(operators(CompileOptions::none(), {avg_cost}),
              ::testing::IsSupersetOf({"fill_constant", "embedding", "l2_normalize",
                                       "square_error_cost", "mean", "sgd"}));
}

}  // namespace
}  // namespace loci
