#include "framework/reporting/report_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/error.hpp>

namespace loci::reporting {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::ThrowsMessage;

ReportTarget target(const std::string& text) {
  return resolve_target(parse_request(text), {"2.x", "1.8"}, "default.txt");
}

TEST(ReportRequestTest, IsANameAlone) {
  const ReportRequest request = parse_request("classic");
  EXPECT_EQ(request.name, "classic");
  EXPECT_THAT(request.options, IsEmpty());
  EXPECT_EQ(target("classic").path, "default.txt");
  EXPECT_TRUE(target("classic").is_default);
}

TEST(ReportRequestTest, HasAFormAnOutputOrBoth) {
  EXPECT_EQ(target("classic=run.txt").path, "run.txt");
  EXPECT_FALSE(target("classic=run.txt").is_default);
  EXPECT_THAT(target("classic=run.txt").options, IsEmpty());
  EXPECT_EQ(target("classic=1.8").path, "default.txt");
  EXPECT_THAT(target("classic=1.8").options, ElementsAre(Pair("form", "1.8")));
  EXPECT_EQ(target("classic=1.8=run.txt").path, "run.txt");
  EXPECT_THAT(target("classic=1.8=run.txt").options, ElementsAre(Pair("form", "1.8")));
}

TEST(ReportRequestTest, APathMayHaveAnEqualsSign) {
  EXPECT_EQ(target("classic=a=b.txt").path, "a=b.txt");
}

TEST(ReportRequestTest, AMinusIsStandardOutput) { EXPECT_EQ(target("html=-").path, ""); }

TEST(ReportRequestTest, HasOptions) {
  const ReportTarget one = target("trace:gzip=on=run.json.gz");
  EXPECT_THAT(one.options, ElementsAre(Pair("gzip", "on")));
  EXPECT_EQ(one.path, "run.json.gz");
  const ReportTarget two = target("trace:gzip=on,steps=1-3");
  EXPECT_THAT(two.options, ElementsAre(Pair("gzip", "on"), Pair("steps", "1-3")));
  EXPECT_EQ(two.path, "default.txt");
  const ReportTarget all = target("classic:state=CPU=1.8=run.txt");
  EXPECT_THAT(all.options, ElementsAre(Pair("state", "CPU"), Pair("form", "1.8")));
  EXPECT_EQ(all.path, "run.txt");
}

TEST(ReportRequestTest, RefusesWhatIsNone) {
  EXPECT_THAT([] { (void)parse_request(""); }, ThrowsMessage<Error>(HasSubstr("has no name")));
  EXPECT_THAT([] { (void)parse_request("=x"); }, ThrowsMessage<Error>(HasSubstr("has no name")));
  EXPECT_THAT([] { (void)parse_request("html="); },
              ThrowsMessage<Error>(HasSubstr("the reporter 'html=' has an empty form or output")));
  EXPECT_THAT([] { (void)parse_request("trace:gzip"); },
              ThrowsMessage<Error>(HasSubstr("has an option without a value; the form is NAME")));
  EXPECT_THAT([] { (void)parse_request("trace:"); },
              ThrowsMessage<Error>(HasSubstr("has an option without a value")));
}

TEST(ReportRequestTest, RefusesAnOptionWithoutAValueBetweenOthers) {
  for (const char* text : {"trace:gzip,steps=1", "trace:gzip=on,", "trace:,gzip=on", "trace:=on"}) {
    EXPECT_THAT([&] { (void)parse_request(text); },
                ThrowsMessage<Error>(HasSubstr("has an option without a value")))
        << text;
  }
}

TEST(ReportRequestTest, RefusesAnEmptyFormOrOutputAtTheEnd) {
  for (const char* text : {"trace:gzip=on=", "html=1.8=", "html==a", "trace:gzip=on==a"}) {
    EXPECT_THAT([&] { (void)parse_request(text); },
                ThrowsMessage<Error>(HasSubstr("has an empty form or output")))
        << text;
  }
}

TEST(ReportRequestTest, AValueMayBeEmpty) {
  EXPECT_THAT(target("trace:steps=,gzip=on").options,
              ElementsAre(Pair("steps", ""), Pair("gzip", "on")));
}

TEST(ReportRequestTest, ARefusedTextIsQuoted) {
  EXPECT_THAT([] { (void)parse_request(std::string(100000, 'x') + "="); },
              ThrowsMessage<Error>(HasSubstr("xxx'... (100001 bytes) has an empty form or output; "
                                             "the form is NAME")));
}

}  // namespace
}  // namespace loci::reporting
