#include "tools/loci/probe/probe_report.h"

#include <gtest/gtest.h>

namespace loci::runner {
namespace {

using Json = nlohmann::ordered_json;

TEST(ProbeReportTest, IsTheWordAndTheObjectInOneLine) {
  EXPECT_EQ(report_line("result", {{"cause", "a\nb"}, {"count", 7}}),
            R"(result {"cause":"a\nb","count":7})");
}

TEST(ProbeReportTest, CutsLongTextsAtAnyDepth) {
  const std::string longest(kLongestReportedText, 'x');
  const std::string line = report_line(
      "device", {{"kept", longest}, {"list", Json::array({Json{{"name", longest + "yz"}}})}});
  const Json object = Json::parse(line.substr(line.find(' ') + 1));
  EXPECT_EQ(object["kept"], longest);
  EXPECT_EQ(object["list"][0]["name"], longest + "... (2 bytes left out)");
}

TEST(ProbeReportTest, KeepsCharactersWhole) {
  const std::string text = std::string(kLongestReportedText - 1, 'x') + "\u00e9";
  const std::string line = report_line("device", {{"name", text}});
  EXPECT_EQ(Json::parse(line.substr(line.find(' ') + 1))["name"],
            std::string(kLongestReportedText - 1, 'x') + "... (2 bytes left out)");
}

TEST(ProbeReportTest, WhatIsNoTextOfUtf8IsReplaced) {
  EXPECT_EQ(report_line("device", {{"name", "a\xff"}}), "device {\"name\":\"a\xef\xbf\xbd\"}");
}

}  // namespace
}  // namespace loci::runner
