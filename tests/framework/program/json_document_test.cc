#include "framework/program/json_document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>

#include "framework/program/control_flow.h"
#include "framework/program/json_form.h"

namespace loci::program {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;

std::string refusal_of_document(const std::string& text) {
  try {
    (void)parse_document(text, "net.json");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kDataLoss);
    EXPECT_THAT(error.what(), HasSubstr("[program] net.json: "));
    return error.what();
  }
  ADD_FAILURE() << "not refused: " << text.substr(0, 80);
  return {};
}

std::string repeated(std::size_t count, const std::string& text) {
  std::string result;
  for (std::size_t i = 0; i < count; ++i) result += text;
  return result;
}

// Against the library's own reader.
TEST(JsonDocumentTest, IsWhatTheTextSays) {
  for (const char* text :
       {"0", "-1", "18446744073709551615", "-9223372036854775808", "1.5e3", "-0.0", "\"\"", "null",
        "true", "false", "[]", "{}", "[[]]", "[{}]", R"({"":[]})", R"([1,"a",null,[2,[3],4],5])",
        R"({"a":{"b":{"c":[1,{"d":2},3]},"e":4},"f":"\u00e9\n\"\\","g":[{"h":[]},{"i":{}}]})",
        R"([{"x":[1,2]},{"x":[3]},{"y":{"x":1}}])", " [ 1 , 2 ]\n"}) {
    const json document = parse_document(text, "net.json");
    EXPECT_EQ(document, json::parse(text)) << text;
    EXPECT_EQ(document.dump(), json::parse(text).dump()) << text;
  }
  EXPECT_TRUE(parse_document("1", "f").is_number_unsigned());
  EXPECT_TRUE(parse_document("-1", "f").is_number_integer());
}

TEST(JsonDocumentTest, SaysWhereATextIsNoJson) {
  EXPECT_THAT(refusal_of_document(""), HasSubstr("is not JSON: parse error at line 1, column 1"));
  EXPECT_THAT(refusal_of_document("{\n \"a\": 1,\n \"b\" 2}"),
              AllOf(HasSubstr("is not JSON"), HasSubstr("line 3, column 6")));
  EXPECT_THAT(refusal_of_document("[1] 2"), HasSubstr("line 1, column 5"));
  EXPECT_THAT(refusal_of_document("[1e999]"), HasSubstr("is not JSON: number overflow"));
  for (const char* text : {"[", "{", "[1,", "{\"a\"", "{\"a\":", "]", "nul", "NaN", "\"\x01\"",
                           "\"\xff\"", "\"\\ud800\"", "[1,]", "{\"a\":1,}", "'a'", "01"}) {
    EXPECT_THAT(refusal_of_document(text), HasSubstr("is not JSON")) << text;
  }
}

TEST(JsonDocumentTest, RefusesAMemberThatOccursTwice) {
  EXPECT_THAT(refusal_of_document(R"({"a":1,"a":2})"), HasSubstr("has the member 'a' twice"));
  EXPECT_THAT(refusal_of_document(R"([{"b":{"a":{},"c":1,"a":[]}}])"), HasSubstr("'a' twice"));
  EXPECT_THAT(refusal_of_document("{\"\\n\":1,\"\\n\":1}"), HasSubstr("'\\x0a' twice"));
  EXPECT_NO_THROW((void)parse_document(R"([{"a":1},{"a":{"a":1}}])", "f"));
}

TEST(JsonDocumentTest, RefusesWhatIsNestedTooDeeply) {
  constexpr std::size_t kMost = 16 + 4 * std::size_t{kMostBlockDepth};
  EXPECT_NO_THROW((void)parse_document(repeated(kMost, "[") + repeated(kMost, "]"), "f"));
  for (const char* open : {"[", "{\"a\":", "[{\"a\":"}) {
    EXPECT_THAT(refusal_of_document(repeated(kMost + 1, open)),
                HasSubstr("is nested deeper than 112"));
  }
  EXPECT_THAT(refusal_of_document(std::string(1 << 20, '[')), HasSubstr("nested deeper"));
}

TEST(JsonDocumentTest, RefusesWhatIsTooLarge) {
  EXPECT_THAT(refusal_of_document(std::string(kMostJsonBytes + 1, ' ')),
              HasSubstr("has 67108865 bytes; a program has at most 67108864"));
}

double seconds_to_parse(std::size_t elements) {
  const std::string text =
      "[" + repeated(elements, R"({"name":"a","inputs":{"x":["b","c"]}},)") + "0]";
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(parse_document(text, "net.json").size(), elements + 1);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Sixteen times the elements took 256 times as long when each end of an object looked at all
// siblings; 64 is between that and what a busy machine makes of 16.
TEST(JsonDocumentTest, TakesTimeLinearInTheText) {
  const double few = std::min(seconds_to_parse(4000), seconds_to_parse(4000));
  const double many = std::min(seconds_to_parse(64000), seconds_to_parse(64000));
  EXPECT_LT(many, 64 * std::max(few, 1e-4));
}

}  // namespace
}  // namespace loci::program
