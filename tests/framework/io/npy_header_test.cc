#include "framework/io/npy_header.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/error.hpp>

#include "tests/framework/io/mutation.h"

namespace loci {
inline namespace v0 {
namespace io {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Property;
using ::testing::StartsWith;
using ::testing::Throws;

NpyHeader parse(std::string_view text) { return parse_npy_header(text, "file.npy"); }

TEST(NpyHeaderTest, ReadsTheThreeKeys) {
  const NpyHeader header = parse("{'descr': '>f8', 'fortran_order': True, 'shape': (2, 3), }  \n");
  EXPECT_EQ(header.dtype, kFloat64);
  EXPECT_TRUE(header.big_endian);
  EXPECT_TRUE(header.fortran_order);
  EXPECT_EQ(header.shape, (Shape{2, 3}));
}

TEST(NpyHeaderTest, TakesOtherSpellingsOfTheSame) {
  for (const char* text :
       {"{'descr':'<i2','fortran_order':False,'shape':(4,)}",
        "{\"shape\": (4L,), \"descr\": \"<i2\", \"fortran_order\": False}",
        " { 'fortran_order' : False , 'descr' : '<i2' ,\n 'shape' : ( 4 , ) , } ",
        "{'descr': '=i2', 'fortran_order': False, 'shape': (4,)}"}) {
    const NpyHeader header = parse(text);
    EXPECT_EQ(header.dtype, kInt16) << text;
    EXPECT_FALSE(header.big_endian) << text;
    EXPECT_FALSE(header.fortran_order) << text;
    EXPECT_EQ(header.shape, Shape{4}) << text;
  }
}

TEST(NpyHeaderTest, ReadsScalars) {
  EXPECT_EQ(parse("{'descr': '|b1', 'fortran_order': False, 'shape': ()}").shape, Shape{});
}

struct BadHeader {
  const char* text;
  const char* reason;
};

class BadNpyHeaderTest : public ::testing::TestWithParam<BadHeader> {};

TEST_P(BadNpyHeaderTest, IsRefusedWithFileKeyAndReason) {
  EXPECT_THAT([] { (void)parse(GetParam().text); },
              Throws<Error>(AllOf(Property(&Error::code, ErrorCode::kDataLoss),
                                  Property(&Error::what, StartsWith("[io] file.npy: ")),
                                  Property(&Error::what, HasSubstr(GetParam().reason)))))
      << GetParam().text;
}

INSTANTIATE_TEST_SUITE_P(
    Syntax, BadNpyHeaderTest,
    ::testing::Values(
        BadHeader{"", "header: byte 0 of the header: expected '{', found its end"},
        BadHeader{"[]", "expected '{', found '['"},
        BadHeader{"{", "header: byte 1 of the header: expected a string, found its end"},
        BadHeader{"{}", "descr: is missing"}, BadHeader{"{'descr", "expected a string that ends"},
        BadHeader{"{'descr' '<f4'}", "descr: byte 9 of the header: expected ':'"},
        BadHeader{"{'descr': '<f4' 'shape': ()}", "byte 16 of the header: expected '}', found"},
        BadHeader{"{'descr': '<f4', 'fortran_order': False, 'shape': (), } x",
                  "expected nothing after '}', found 'x'"},
        BadHeader{"{'descr': '<f4', 'shape': ()}", "fortran_order: is missing"},
        BadHeader{"{'descr': '<f4', 'fortran_order': False}", "shape: is missing"},
        BadHeader{"{'descr': '<f4', 'descr': '<f4'}", "descr: stands twice"},
        BadHeader{"{'shape': (), 'shape': ()}", "shape: stands twice"},
        BadHeader{"{'fortran_order': True, 'fortran_order': True}", "fortran_order: stands twice"},
        BadHeader{"{'order': 'C'}", "unknown key 'order'; it has descr, fortran_order and shape"},
        BadHeader{"{'fortran_order': 0}", "fortran_order: byte 18 of the header: expected True or"},
        BadHeader{"{'fortran_order': true}", "expected True or False, found 't'"}));

INSTANTIATE_TEST_SUITE_P(
    Shapes, BadNpyHeaderTest,
    ::testing::Values(
        BadHeader{"{'shape': 3}", "shape: byte 10 of the header: expected '(', found '3'"},
        BadHeader{"{'shape': [3]}", "expected '(', found '['"},
        BadHeader{"{'shape': (3)}", "shape: is a number, not a tuple such as (3,)"},
        BadHeader{"{'shape': (3 4)}", "expected ',' or ')', found '4'"},
        BadHeader{"{'shape': (-1,)}",
                  "shape: byte 11 of the header: expected an extent, found '-'"},
        BadHeader{"{'shape': (1.5,)}", "shape: byte 12 of the header: expected ',' or ')', found"},
        BadHeader{"{'shape': (x,)}", "expected an extent, found 'x'"},
        BadHeader{"{'shape': (,)}", "expected an extent, found ','"},
        BadHeader{"{'shape': (1,,)}", "expected an extent, found ','"},
        BadHeader{"{'shape': (1,", "expected an extent, found its end"},
        BadHeader{"{'shape': (9223372036854775808,)}",
                  "extent '9223372036854775808' does not fit into 63 bits"},
        BadHeader{"{'shape': (1, 1, 1, 1, 1, 1, 1, 1, 1)}", "more than the 8 dimensions"}));

INSTANTIATE_TEST_SUITE_P(
    DTypes, BadNpyHeaderTest,
    ::testing::Values(
        BadHeader{"{'descr': '|O'}", "descr: '|O' is Python objects; save the array as bool"},
        BadHeader{"{'descr': [('a', '<f4'), ('b', '<i2')]}",
                  "descr: a structured dtype, '[(\\'a\\'"},
        BadHeader{"{'descr': ('<f4', (2,))}", "descr: a structured dtype"},
        BadHeader{"{'descr': '<c8'}", "'<c8' is complex numbers"},
        BadHeader{"{'descr': '<U2'}", "'<U2' is strings"},
        BadHeader{"{'descr': '|S2'}", "'|S2' is strings"},
        BadHeader{"{'descr': '<M8[ns]'}", "'<M8[ns]' is times"},
        BadHeader{"{'descr': '<f16'}", "'<f16' is floats of another size"},
        BadHeader{"{'descr': '<V2'}", "'<V2' is raw bytes or an extension such as bfloat16"},
        BadHeader{"{'descr': '|f4'}", "'|f4'"}, BadHeader{"{'descr': 'f4'}", "'f4'"},
        BadHeader{"{'descr': ''}", "descr: '' is no known type"},
        BadHeader{"{'descr': '<'}", "'<' is no known type"},
        BadHeader{"{'descr': '<f4\n'}", "'<f4\\x0a'"}, BadHeader{"{'descr': 4}", "a string"}));

TEST(NpyHeaderTest, PreambleIsReadBack) {
  for (const Shape& shape : {Shape{}, Shape{0}, Shape{7}, Shape{2, 3, 4},
                             Shape{1, 1, 1, 1, 1, 1, 1, std::int64_t{1} << 60}}) {
    const std::string preamble = npy_preamble(kUInt16, shape);
    EXPECT_EQ(preamble.size() % 64, 0U);
    EXPECT_EQ(preamble.substr(0, 8), std::string("\x93NUMPY\x01\x00", 8));
    const NpyHeader header = parse(std::string_view(preamble).substr(10));
    EXPECT_EQ(header.dtype, kUInt16);
    EXPECT_FALSE(header.big_endian);
    EXPECT_FALSE(header.fortran_order);
    EXPECT_EQ(header.shape, shape);
  }
}

TEST(NpyHeaderTest, BFloat16HasNoForm) {
  EXPECT_THAT([] { (void)npy_preamble(kBFloat16, Shape{2}); },
              Throws<Error>(
                  AllOf(Property(&Error::code, ErrorCode::kInvalidArgument),
                        Property(&Error::what, HasSubstr("no bfloat16; cast to float32 first")))));
}

TEST(NpyHeaderTest, DamagedHeadersAreReadOrRefused) {
  constexpr std::string_view kValid =
      "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }       \n";
  io_test::Mutator mutate(1);
  int refused = 0;
  for (int i = 0; i < 20000; ++i) {
    try {
      const NpyHeader header = parse(mutate(kValid));
      EXPECT_TRUE(header.shape.is_static());
      EXPECT_NE(header.dtype, DType::kNone);
    } catch (const Error& error) {
      ASSERT_EQ(error.code(), ErrorCode::kDataLoss) << error.what();
      ASSERT_EQ(std::string_view(error.what()).find('\n'), std::string_view::npos);
      ++refused;
    }
  }
  EXPECT_GT(refused, 1000);
  EXPECT_LT(refused, 20000);
}

}  // namespace
}  // namespace io
}  // namespace v0
}  // namespace loci
