#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <loci/tensor.hpp>
#include <numeric>

namespace loci {
namespace {

TEST(PrintTest, ColumnsStandUnderEachOther) {
  EXPECT_EQ(Tensor::from(std::vector<float>{1, -2.5F, 30, 4}, {2, 2}).to_string(),
            "float32 [2, 2] at cpu\n"
            "[[   1, -2.5],\n"
            " [  30,    4]]");
}

TEST(PrintTest, PrintsEveryDtype) {
  EXPECT_EQ(Tensor::scalar(std::int8_t{-3}).to_string(), "int8 [] at cpu\n-3");
  EXPECT_EQ(Tensor::scalar(std::uint8_t{200}).to_string(), "uint8 [] at cpu\n200");
  EXPECT_EQ(Tensor::scalar(std::int16_t{-300}).to_string(), "int16 [] at cpu\n-300");
  EXPECT_EQ(Tensor::scalar(std::uint16_t{300}).to_string(), "uint16 [] at cpu\n300");
  EXPECT_EQ(Tensor::scalar(std::int32_t{-5}).to_string(), "int32 [] at cpu\n-5");
  EXPECT_EQ(Tensor::scalar(std::uint32_t{5}).to_string(), "uint32 [] at cpu\n5");
  EXPECT_EQ(Tensor::scalar(std::numeric_limits<std::int64_t>::min()).to_string(),
            "int64 [] at cpu\n-9223372036854775808");
  EXPECT_EQ(Tensor::scalar(std::numeric_limits<std::uint64_t>::max()).to_string(),
            "uint64 [] at cpu\n18446744073709551615");
  EXPECT_EQ(Tensor::scalar(true).to_string(), "bool [] at cpu\ntrue");
  EXPECT_EQ(Tensor::scalar(0.1).to_string(), "float64 [] at cpu\n0.1");
  EXPECT_EQ(Tensor::scalar(std::numeric_limits<float>::infinity()).to_string(),
            "float32 [] at cpu\ninf");
  const std::uint16_t half = 0x3E00;
  EXPECT_EQ(Tensor::from_bytes(&half, {}, kFloat16).to_string(), "float16 [] at cpu\n1.5");
  const std::uint16_t brain = 0x3FC0;
  EXPECT_EQ(Tensor::from_bytes(&brain, {}, kBFloat16).to_string(), "bfloat16 [] at cpu\n1.5");
}

TEST(PrintTest, EmptyDimensionsPrintAsBrackets) {
  EXPECT_EQ(Tensor::empty({0}, kFloat32).to_string(), "float32 [0] at cpu\n[]");
  EXPECT_EQ(Tensor::empty({2, 0}, kFloat32).to_string(), "float32 [2, 0] at cpu\n[[],\n []]");
}

TEST(PrintTest, MoreThanAThousandElementsAreCutShort) {
  std::vector<std::int32_t> elements(1001);
  std::iota(elements.begin(), elements.end(), 0);
  EXPECT_EQ(Tensor::from(elements, {1001}).to_string(),
            "int32 [1001] at cpu\n[   0,    1,    2, ...,  998,  999, 1000]");
  elements.pop_back();
  const std::string whole = Tensor::from(elements, {10, 100}).to_string();
  EXPECT_EQ(whole.find("..."), std::string::npos);
  EXPECT_EQ(std::count(whole.begin(), whole.end(), '\n'), 10);
}

TEST(PrintTest, RowsAreCutShortToo) {
  const std::string text = Tensor::from(std::vector<float>(2000), {1000, 2}).to_string();
  EXPECT_EQ(text,
            "float32 [1000, 2] at cpu\n[[0, 0],\n [0, 0],\n [0, 0],\n ...,\n [0, 0],\n [0, 0],\n "
            "[0, 0]]");
}

TEST(PrintTest, EightDimensionsStayReadable) {
  const Tensor tensor = Tensor::empty({4, 4, 4, 4, 4, 4, 4, 4}, kBool);
  std::fill_n(tensor.data<bool>(), tensor.numel(), false);
  const std::string text = tensor.to_string();
  EXPECT_LT(text.size(), 8000U);
}

}  // namespace
}  // namespace loci
