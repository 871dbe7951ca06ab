#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <loci/dtype.hpp>
#include <loci/error.hpp>

namespace loci {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

struct Expected {
  DType dtype;
  const char* name;
  std::size_t size;
  bool floating;
  bool integer;
};

class DTypeTest : public ::testing::TestWithParam<Expected> {};

TEST_P(DTypeTest, HasNameSizeAndKind) {
  const Expected& expected = GetParam();
  EXPECT_EQ(dtype_name(expected.dtype), expected.name);
  EXPECT_EQ(parse_dtype(expected.name), expected.dtype);
  EXPECT_EQ(dtype_size(expected.dtype), expected.size);
  EXPECT_EQ(is_floating(expected.dtype), expected.floating);
  EXPECT_EQ(is_integer(expected.dtype), expected.integer);
}

INSTANTIATE_TEST_SUITE_P(All, DTypeTest,
                         ::testing::Values(Expected{kBool, "bool", 1, false, false},
                                           Expected{kInt8, "int8", 1, false, true},
                                           Expected{kInt16, "int16", 2, false, true},
                                           Expected{kInt32, "int32", 4, false, true},
                                           Expected{kInt64, "int64", 8, false, true},
                                           Expected{kUInt8, "uint8", 1, false, true},
                                           Expected{kUInt16, "uint16", 2, false, true},
                                           Expected{kUInt32, "uint32", 4, false, true},
                                           Expected{kUInt64, "uint64", 8, false, true},
                                           Expected{kFloat16, "float16", 2, true, false},
                                           Expected{kBFloat16, "bfloat16", 2, true, false},
                                           Expected{kFloat32, "float32", 4, true, false},
                                           Expected{kFloat64, "float64", 8, true, false}),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(DTypeNoneTest, HasNameButNoSizeAndCannotBeParsed) {
  EXPECT_EQ(dtype_name(DType::kNone), "none");
  EXPECT_EQ(dtype_size(DType::kNone), 0U);
  EXPECT_FALSE(is_floating(DType::kNone));
  EXPECT_FALSE(is_integer(DType::kNone));
  EXPECT_THROW((void)parse_dtype("none"), Error);
}

TEST(DTypeNoneTest, UnknownNameListsTheKnownOnes) {
  EXPECT_THAT([] { (void)parse_dtype("float"); },
              ThrowsMessage<Error>(
                  AllOf(HasSubstr("'float'"), HasSubstr("bool, int8"), HasSubstr("float64"))));
}

TEST(NumberInTest, AnIntegerDTypeDoesNotCut) {
  EXPECT_EQ(number_in(kFloat16, "+", 0.5), 0.5);
  EXPECT_EQ(number_in(kInt64, "+", -3.0), -3.0);
  EXPECT_THAT([] { number_in(kInt64, "*", 0.5); },
              ThrowsMessage<Error>(HasSubstr("[operator*] x is int64, which would cut 0.5 to 0; "
                                             "cast x to a floating dtype first, as in "
                                             "cast(x, kFloat32) * 0.5")));
}

TEST(NumberInTest, ANumberHasToFit) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(number_in(kFloat16, "+", 1e30), 1e30);
  EXPECT_THAT([] { number_in(kInt8, "+", 300); },
              ThrowsMessage<Error>(HasSubstr("[operator+] x is int8, into which 300 does not fit; "
                                             "cast x to a dtype that has it first, as in "
                                             "cast(x, kFloat32) + 300")));
  for (const double number : {1e30, -129.0, 128.0, kInfinity, -kInfinity, std::nan("")}) {
    EXPECT_THROW((void)number_in(kInt8, "*", number), Error) << number;
  }
  EXPECT_THROW((void)number_in(kUInt64, "-", -1), Error);
  EXPECT_EQ(number_in(kInt8, "+", -128), -128);
}

TEST(DTypeNoneTest, UnknownCodesAreRefused) {
  for (const int code : {-1, 14, 1 << 30}) {
    EXPECT_THAT([&] { (void)dtype_size(static_cast<DType>(code)); },
                ThrowsMessage<Error>(HasSubstr("code " + std::to_string(code))));
  }
}

}  // namespace
}  // namespace loci
