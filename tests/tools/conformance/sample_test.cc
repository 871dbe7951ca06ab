#include "tools/conformance/sample.h"

#include <gmock/gmock.h>

#include <set>
#include <string>

namespace loci::conformance {
namespace {

using ::testing::UnorderedElementsAre;

Case relu(DType dtype, Shape shape) {
  return {.op = "relu", .inputs = {{dtype, std::move(shape), uniform(-1, 1)}}};
}

std::set<std::string> names(const Suite& suite) {
  std::set<std::string> result;
  for (const Case& one : suite.cases()) result.insert(one.name());
  return result;
}

TEST(MemorySample, TakesEachCombinationOnceAndEachDtypeInAFewShapes) {
  Suite all;
  all.begin_family("unary");
  for (const DType dtype : {kBFloat16, kFloat16, kFloat32}) {
    for (const Shape& shape : {Shape{0}, Shape{1}, Shape{17}, Shape{9000}}) {
      all.add(relu(dtype, shape));
    }
  }
  EXPECT_THAT(names(memory_sample(all)),
              UnorderedElementsAre("unary/relu/float32/[0]", "unary/relu/float32/[1]",
                                   "unary/relu/float32/[17]", "unary/relu/float32/[9000]",
                                   "unary/relu/float16/[0]", "unary/relu/float16/[17]",
                                   "unary/relu/bfloat16/[0]", "unary/relu/bfloat16/[17]",
                                   "unary/relu/bfloat16/[9000]"));
}

TEST(MemorySample, TakesTheShortestOfLongCasesForADtype) {
  Suite all;
  all.begin_family("unary");
  for (const DType dtype : {kFloat32, kFloat64}) {
    for (const Shape& shape : {Shape{7000}, Shape{5000}, Shape{6000}}) all.add(relu(dtype, shape));
  }
  EXPECT_THAT(names(memory_sample(all)),
              UnorderedElementsAre("unary/relu/float32/[5000]", "unary/relu/float32/[6000]",
                                   "unary/relu/float32/[7000]", "unary/relu/float64/[5000]"));
}

// Whatever cases come: no op, and no dtype of an op, is lost.
TEST(MemorySample, HasEveryOpInEveryDtype) {
  const auto kinds = [](const Suite& suite) {
    std::set<std::string> result;
    for (const Case& one : suite.cases()) {
      const std::string dtype =
          one.inputs.empty() ? "" : std::string(dtype_name(one.inputs.front().dtype));
      result.insert(one.family + "/" + one.op + "/" + dtype);
    }
    return result;
  };
  const Suite all = all_cases();
  const Suite sample = memory_sample(all);
  EXPECT_EQ(kinds(sample), kinds(all));
  EXPECT_LT(sample.cases().size(), all.cases().size() * 2 / 5);
}

}  // namespace
}  // namespace loci::conformance
