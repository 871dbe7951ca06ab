#include "tools/loci/model/literal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "tests/tools/loci/failing.h"

namespace loci::runner {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string refusal(const std::string& text, DType dtype) {
  return failure_of(ExitCode::kUsage, [&] { filled_tensor(text, {}, dtype, "x"); });
}

TEST(LiteralTest, FillsEveryElement) {
  const Tensor tensor = filled_tensor("0.5", {2, 2}, kFloat32, "x");
  EXPECT_EQ(tensor.shape(), (Shape{2, 2}));
  EXPECT_THAT(tensor.to_vector<float>(), ElementsAre(0.5F, 0.5F, 0.5F, 0.5F));
}

TEST(LiteralTest, ReadsTheVariablesDtype) {
  EXPECT_EQ(filled_tensor("3", {}, kFloat64, "x").item<double>(), 3.0);
  EXPECT_EQ(filled_tensor("-9223372036854775808", {}, kInt64, "x").item<std::int64_t>(), INT64_MIN);
  EXPECT_EQ(filled_tensor("18446744073709551615", {}, kUInt64, "x").item<std::uint64_t>(),
            UINT64_MAX);
  EXPECT_EQ(filled_tensor("true", {}, kBool, "x").item<bool>(), true);
  EXPECT_TRUE(std::isnan(filled_tensor("nan", {}, kFloat32, "x").item<float>()));
  const Tensor half = filled_tensor("1.5", {}, kFloat16, "x");
  EXPECT_EQ(*static_cast<const std::uint16_t*>(half.raw_data()), 0x3e00);
}

TEST(LiteralTest, OfALongNameOrTextTheBeginningIsShown) {
  const std::string long_text(100000, 'x');
  EXPECT_THAT(
      failure_of(ExitCode::kUsage, [&] { filled_tensor(long_text, {}, kInt8, long_text); }),
      AllOf(HasSubstr("xxx... (100000 bytes): 'xxx"), HasSubstr("a whole number from -128")));
}

TEST(LiteralTest, RefusesWhatIsNoNumberOfThatDtype) {
  EXPECT_THAT(refusal("cat", kFloat32), AllOf(HasSubstr("x: 'cat'"), HasSubstr("float32")));
  EXPECT_THAT(refusal("1.5", kInt32), HasSubstr("whole number from -2147483648 to 2147483647"));
  EXPECT_THAT(refusal("256", kUInt8), HasSubstr("from 0 to 255"));
  EXPECT_THAT(refusal("-1", kUInt64), HasSubstr("from 0 to"));
  EXPECT_THAT(refusal("2", kBool), HasSubstr("true or false"));
  EXPECT_THAT(refusal("1e50", kFloat32), HasSubstr("in range"));
  EXPECT_THAT(refusal("70000", kFloat16), HasSubstr("in range"));
  EXPECT_THAT(refusal("1 2", kFloat64), HasSubstr("'1 2'"));
}

TEST(LiteralTest, SaysHowAFileIsWritten) {
  EXPECT_THAT(refusal("a.npy", kFloat32), HasSubstr("@FILE.npy"));
}

}  // namespace
}  // namespace loci::runner
