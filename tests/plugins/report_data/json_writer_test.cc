#include "plugins/report_data/json_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace loci::report {
namespace {

using nlohmann::json;

std::string quoted(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

TEST(JsonWriterTest, WritesNestedValues) {
  std::string text;
  JsonWriter writer([&](std::string_view piece) { text += piece; });
  writer.begin_object().member("count", std::uint64_t{18446744073709551615U});
  writer.member("share", 0.25).member("yes", true).member("name", "mul").key("list");
  writer.begin_array().value("a").begin_object().end_object().value(1U).end_array();
  writer.key("none").raw("null").end_object().finish();
  EXPECT_EQ(text, R"({"count":18446744073709551615,"share":0.25,"yes":true,"name":"mul",)"
                  R"("list":["a",{},1],"none":null})");
}

TEST(JsonWriterTest, NumbersThatAreNoneAreNull) {
  std::string text;
  JsonWriter writer([&](std::string_view piece) { text += piece; });
  writer.begin_array().value(std::numeric_limits<double>::infinity());
  writer.value(std::numeric_limits<double>::quiet_NaN()).end_array().finish();
  EXPECT_EQ(text, "[null,null]");
}

TEST(JsonWriterTest, HandsOnPiecesAsItGoes) {
  std::vector<std::size_t> sizes;
  JsonWriter writer([&](std::string_view piece) { sizes.push_back(piece.size()); });
  writer.begin_array();
  for (int i = 0; i < 20'000; ++i) writer.value("0123456789");
  EXPECT_GE(sizes.size(), 3U);
  EXPECT_THAT(sizes, ::testing::Each(::testing::Lt(70'000U)));
}

TEST(JsonStringTest, EscapesAllThatJsonForbids) {
  EXPECT_EQ(quoted("a\"b\\c\n\t"), R"("a\"b\\c\n\t")");
  EXPECT_EQ(quoted(std::string_view("\0\x1f", 2)), R"("\u0000\u001f")");
  EXPECT_EQ(json::parse(quoted("größe \u2028 \U0001F600")).get<std::string>(),
            "größe \u2028 \U0001F600");
}

TEST(JsonStringTest, EndsNoScriptElement) {
  EXPECT_EQ(quoted("</script><!--"), R"("\u003c/script>\u003c!--")");
  EXPECT_EQ(json::parse(quoted("</script>")).get<std::string>(), "</script>");
}

TEST(JsonStringTest, WhatIsNotUtf8IsReplaced) {
  for (const std::string_view bad :
       {"\xff", "\xc3", "\xed\xa0\x80", "\xf5\x80\x80\x80", "\xc0\xaf"}) {
    const std::string text = quoted(bad);
    for (const char c : text) EXPECT_LT(static_cast<unsigned char>(c), 0x7f) << text;
    EXPECT_THAT(json::parse(text).get<std::string>(), ::testing::HasSubstr("\uFFFD"));
  }
}

}  // namespace
}  // namespace loci::report
