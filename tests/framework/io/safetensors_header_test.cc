#include "framework/io/safetensors_header.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
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

std::vector<SafetensorsEntry> parse(std::string_view json, std::uint64_t data_bytes = 8) {
  return parse_safetensors_header(json, data_bytes, "w.safetensors");
}

TEST(SafetensorsHeaderTest, ReadsEntriesInTheOrderOfTheirBytes) {
  const auto entries = parse(R"({"b":{"dtype":"F32","shape":[2],"data_offsets":[4,12]},)"
                             R"("__metadata__":{"k":"v"},)"
                             R"("a":{"data_offsets":[0,4],"shape":[2,1],"dtype":"BF16"}} )",
                             12);
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(entries[0].name, "a");
  EXPECT_EQ(entries[0].dtype, kBFloat16);
  EXPECT_EQ(entries[0].shape, (Shape{2, 1}));
  EXPECT_EQ(entries[1].name, "b");
  EXPECT_EQ(entries[1].begin, 4U);
  EXPECT_EQ(entries[1].end, 12U);
}

TEST(SafetensorsHeaderTest, ReadsScalarsEmptyTensorsAndEmptyFiles) {
  EXPECT_TRUE(parse("{}", 0).empty());
  const auto entries = parse(R"({"s":{"dtype":"I64","shape":[],"data_offsets":[0,8]},)"
                             R"("e":{"dtype":"F64","shape":[0,9],"data_offsets":[8,8]},)"
                             R"("f":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}}   )");
  ASSERT_EQ(entries.size(), 3U);
  EXPECT_EQ(entries[0].name, "f");
  EXPECT_EQ(entries[1].shape, Shape{});
  EXPECT_EQ(entries[2].shape, (Shape{0, 9}));
}

struct BadHeader {
  const char* json;
  const char* reason;
};

class BadSafetensorsHeaderTest : public ::testing::TestWithParam<BadHeader> {};

TEST_P(BadSafetensorsHeaderTest, IsRefusedWithFileFieldAndReason) {
  EXPECT_THAT([] { (void)parse(GetParam().json); },
              Throws<Error>(AllOf(Property(&Error::code, ErrorCode::kDataLoss),
                                  Property(&Error::what, StartsWith("[io] w.safetensors: ")),
                                  Property(&Error::what, HasSubstr(GetParam().reason)))))
      << GetParam().json;
}

INSTANTIATE_TEST_SUITE_P(
    Json, BadSafetensorsHeaderTest,
    ::testing::Values(
        BadHeader{"", "header: does not begin with '{'"},
        BadHeader{" {}", "header: does not begin with '{'"},
        BadHeader{"[]", "header: does not begin with '{'"},
        BadHeader{"{", "header: byte 2: is not JSON"}, BadHeader{"{}x", "byte 3: is not JSON"},
        BadHeader{"{\"a\xff\":{}}", "is not JSON"},
        BadHeader{R"({"a":1})", "tensor 'a': is a number instead of an object"},
        BadHeader{R"({"a":-1})", "is a negative number instead of an object"},
        BadHeader{R"({"a":null})", "tensor 'a': is null instead of an object"},
        BadHeader{R"({"a":true})", "is a boolean instead of an object"},
        BadHeader{R"({"a":"F32"})", "is a string instead of an object"},
        BadHeader{R"({"a":[[[[[[]]]]]]})", "is an array instead of an object"},
        BadHeader{R"({"__metadata__":{"k":1}})", "__metadata__: is a number instead of a string"},
        BadHeader{R"({"__metadata__":{"k":{}}})", "__metadata__: is an object instead of a"},
        BadHeader{R"({"__metadata__":{"k":"","k":""}})", "__metadata__: the key 'k' stands twice"},
        BadHeader{R"({"__metadata__":{},"__metadata__":{}})", "'__metadata__' stands twice"}));

INSTANTIATE_TEST_SUITE_P(
    Fields, BadSafetensorsHeaderTest,
    ::testing::Values(
        BadHeader{R"({"a":{}})", "tensor 'a': has no dtype"},
        BadHeader{R"({"a":{"dtype":"F32","shape":[2]}})", "tensor 'a': has no data_offsets"},
        BadHeader{R"({"a":{"dtype":"F32","dtype":"F32"}})", "tensor 'a': dtype: stands twice"},
        BadHeader{R"({"a":{"shape":[],"shape":[]}})", "tensor 'a': shape: stands twice"},
        BadHeader{R"({"a":{"strides":[]}})", "tensor 'a': unknown field 'strides'"},
        BadHeader{R"({"a":{"dtype":1}})", "dtype: is a number instead of a string"},
        BadHeader{R"({"a":{"dtype":["F32"]}})", "dtype: is an array instead of a string"},
        BadHeader{R"({"a":{"dtype":"F8_E4M3"}})", "dtype: 'F8_E4M3' is not a dtype that can be"},
        BadHeader{R"({"a":{"dtype":"f32"}})", "dtype: 'f32' is not a dtype"},
        BadHeader{R"({"a":{"shape":2}})", "shape: is a number instead of an array of extents"},
        BadHeader{R"({"a":{"shape":"2"}})", "shape: is a string instead of an array of extents"},
        BadHeader{R"({"a":{"shape":[-2]}})", "shape: is a negative number instead of an extent"},
        BadHeader{R"({"a":{"shape":[2.0]}})", "is a number that is no unsigned 64-bit integer"},
        BadHeader{R"({"a":{"shape":[18446744073709551616]}})", "no unsigned 64-bit integer"},
        BadHeader{R"({"a":{"shape":[9223372036854775808]}})", "does not fit into 63 bits"},
        BadHeader{R"({"a":{"shape":[[2]]}})", "shape: is an array instead of an extent"},
        BadHeader{R"({"a":{"shape":[1,1,1,1,1,1,1,1,1]}})", "more than the 8 dimensions"},
        BadHeader{R"({"a":{"data_offsets":[0]}})", "data_offsets: has 1 numbers"},
        BadHeader{R"({"a":{"data_offsets":[]}})", "data_offsets: has 0 numbers"},
        BadHeader{R"({"a":{"data_offsets":[0,1,2]}})", "is a number instead of two offsets"},
        BadHeader{R"({"a":{"data_offsets":[0,-1]}})", "is a negative number instead of two"}));

INSTANTIATE_TEST_SUITE_P(
    Layout, BadSafetensorsHeaderTest,
    ::testing::Values(
        BadHeader{R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}})",
                  "tensor 'a': data_offsets: begin 8 lies after end 0"},
        BadHeader{R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})",
                  "span 4 bytes, but float32 [2] has 8"},
        BadHeader{R"({"a":{"dtype":"F32","shape":[4611686018427387904],"data_offsets":[0,0]}})",
                  "shape: [4611686018427387904] does not fit into memory"},
        BadHeader{R"({"a":{"dtype":"U8","shape":[4294967296,4294967296],"data_offsets":[0,0]}})",
                  "does not fit into memory"},
        BadHeader{R"({"a":{"dtype":"F32","shape":[4],"data_offsets":[0,16]}})",
                  "data: 8 bytes, but the header describes 16; the file is truncated"},
        BadHeader{R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})",
                  "data: 8 bytes, but the header describes 4; the file is damaged"},
        BadHeader{"{}", "data: 8 bytes, but the header describes 0"},
        BadHeader{R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
                  "tensor 'a': data_offsets: [4, 8) leave a gap after byte 0"},
        BadHeader{R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},)"
                  R"("b":{"dtype":"U8","shape":[5],"data_offsets":[3,8]}})",
                  "tensor 'b': data_offsets: [3, 8) overlap tensor 'a', which ends at 4"},
        BadHeader{R"({"a":{"dtype":"U8","shape":[8],"data_offsets":[0,8]},)"
                  R"("b":{"dtype":"U8","shape":[8],"data_offsets":[0,8]}})",
                  "overlap tensor"},
        BadHeader{R"({"a":{"dtype":"U8","shape":[3],"data_offsets":[0,3]},)"
                  R"("b":{"dtype":"U8","shape":[4],"data_offsets":[4,8]}})",
                  "tensor 'b': data_offsets: [4, 8) leave a gap after byte 3"},
        BadHeader{R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},)"
                  R"("a":{"dtype":"U8","shape":[4],"data_offsets":[4,8]}})",
                  "header: the key 'a' stands twice"}));

TEST(SafetensorsHeaderTest, DeepNestingIsRefusedAtOnce) {
  const std::string deep(10'000'000, '[');
  EXPECT_THAT([&] { (void)parse(R"({"a":)" + deep); },
              Throws<Error>(Property(&Error::what, HasSubstr("is an array instead of"))));
}

TEST(SafetensorsHeaderTest, HostileNamesStayShortAndOnOneLine) {
  std::string name = "\\n";
  name.append(100'000, 'x');
  try {
    (void)parse(R"({")" + name + R"(":{}})");
    FAIL() << "was read";
  } catch (const Error& error) {
    EXPECT_LT(std::strlen(error.what()), 300U);
    EXPECT_EQ(std::strchr(error.what(), '\n'), nullptr);
  }
}

TEST(SafetensorsHeaderTest, PreambleIsReadBack) {
  std::vector<SafetensorsEntry> entries{{"b", kUInt8, Shape{3}, 0, 0},
                                        {"\u00e9\"\\\n", kFloat64, Shape{2}, 0, 0},
                                        {"a", kUInt8, Shape{}, 0, 0}};
  lay_out(entries, "file");
  const std::string preamble = safetensors_preamble(entries, "file");
  EXPECT_EQ(preamble.size() % 8, 0U);
  std::uint64_t length = 0;
  std::memcpy(&length, preamble.data(), sizeof(length));
  EXPECT_EQ(length + 8, preamble.size());
  const auto read = parse(std::string_view(preamble).substr(8), 20);
  ASSERT_EQ(read.size(), 3U);
  EXPECT_EQ(read[0].name, "\u00e9\"\\\n");
  EXPECT_EQ(read[1].name, "a");
  EXPECT_EQ(read[2].name, "b");
  EXPECT_EQ(read[2].begin, 17U);
  EXPECT_EQ(read[2].shape, Shape{3});
}

TEST(SafetensorsHeaderTest, NamesThatCannotBeWrittenAreRefused) {
  EXPECT_THAT(
      [] {
        (void)safetensors_preamble({{"__metadata__", kUInt8, Shape{}, 0, 1}}, "file");
      },
      Throws<Error>(AllOf(Property(&Error::code, ErrorCode::kInvalidArgument),
                          Property(&Error::what, HasSubstr("keeps this name")))));
  EXPECT_THAT(
      [] {
        (void)safetensors_preamble({{"a\xff", kUInt8, Shape{}, 0, 1}}, "file");
      },
      Throws<Error>(
          AllOf(Property(&Error::code, ErrorCode::kInvalidArgument),
                Property(&Error::what, HasSubstr("tensor 'a\\xff': the name is not UTF-8")))));
}

TEST(SafetensorsHeaderTest, DamagedHeadersAreReadOrRefused) {
  constexpr std::string_view kValid =
      R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},"__metadata__":{"x":"y"},)"
      R"("b":{"dtype":"F16","shape":[2,1],"data_offsets":[4,8]}}  )";
  io_test::Mutator mutate(3);
  int refused = 0;
  for (int i = 0; i < 20000; ++i) {
    try {
      std::uint64_t bytes = 0;
      for (const SafetensorsEntry& entry : parse(mutate(kValid))) bytes += entry.end - entry.begin;
      EXPECT_EQ(bytes, 8U);
    } catch (const Error& error) {
      ASSERT_EQ(error.code(), ErrorCode::kDataLoss) << error.what();
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
