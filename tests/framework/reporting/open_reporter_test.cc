#include "framework/reporting/open_reporter.h"

#include <fstream>
#include <loci/error.hpp>

#include "framework/profiler/profile.h"
#include "tests/framework/reporting/reporting_fixture.h"

namespace loci::reporting {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class OpenReporterTest : public ReportingTest {
 protected:
  OpenReporterTest() : profile_(recording()) {}

  static profiler::Recording recording() {
    profiler::Recording recording;
    recording.wall_ns = 100;
    recording.labels = {{.kind = LOCI_SPAN_USER, .name = "work"}};
    recording.threads = {{1, "main", {{10, 20, 0, 0, 0, 0}, {30, 40, 0, 0, 0, 0}}}};
    return recording;
  }
  void report(const std::string& request) {
    OpenReporter(parse_request(request)).report(profile_.abi());
  }

  profiler::Profile profile_;
};

TEST_F(OpenReporterTest, WritesAFile) {
  report("lines=" + path("out.txt"));
  EXPECT_EQ(read("out.txt"), "work 2\nquality\n");
}

TEST_F(OpenReporterTest, WritesStandardOutput) {
  ::testing::internal::CaptureStdout();
  report("lines");
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "work 2\nquality\n");
}

TEST_F(OpenReporterTest, HandsOptionsOver) {
  report("lines:quality=off=long=" + path("out.txt"));
  EXPECT_EQ(read("out.txt"), "work 2\nlong\n");
}

TEST_F(OpenReporterTest, RefusesAnUnknownReporter) {
  EXPECT_THAT([&] { report("line"); },
              ThrowsMessage<Error>(HasSubstr("[profiler] there is no reporter 'line'")));
  EXPECT_THAT([&] { report("line"); }, ThrowsMessage<Error>(HasSubstr("lines")));
}

TEST_F(OpenReporterTest, SaysWhatTheReporterRefuses) {
  EXPECT_THAT([&] { report("lines:colour=red"); },
              ThrowsMessage<Error>(AllOf(HasSubstr("[profiler] reporter lines: "),
                                         HasSubstr("has no option 'colour'; there are: fail"))));
  EXPECT_THAT([&] { report("lines:fail=maybe"); },
              ThrowsMessage<Error>(HasSubstr("takes for 'fail' one of no, create")));
  EXPECT_THAT([&] { report("lines:fail=create"); },
              ThrowsMessage<Error>(HasSubstr("will not be made")));
}

TEST_F(OpenReporterTest, AReportThatFailsLeavesNoFile) {
  EXPECT_THAT([&] { report("lines:fail=report=" + path("out.txt")); },
              ThrowsMessage<Error>(HasSubstr("will not report")));
  EXPECT_THAT([&] { report("lines:fail=late=" + path("out.txt")); },
              ThrowsMessage<Error>(HasSubstr("gave up")));
  EXPECT_FALSE(exists("out.txt"));
  ::testing::internal::CaptureStdout();
  EXPECT_THROW(report("lines:fail=late"), Error);
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
}

TEST_F(OpenReporterTest, StandsAnExceptionOutOfAReport) {
  EXPECT_THAT([&] { report("lines:fail=throw"); },
              ThrowsMessage<Error>(HasSubstr("let an exception escape: out of report")));
}

TEST_F(OpenReporterTest, FollowsNoLinkToWhereNobodyAskedForAFile) {
  namespace fs = std::filesystem;
  std::ofstream(path("victim")) << "precious";
  fs::create_symlink("victim", path("ranges.txt"));
  const fs::path before = fs::current_path();
  fs::current_path(path(""));
  report("ranges");
  fs::current_path(before);
  EXPECT_EQ(read("victim"), "precious");
  EXPECT_FALSE(fs::is_symlink(path("ranges.txt")));
  fs::create_symlink("victim", path("wanted.txt"));
  report("ranges=" + path("wanted.txt"));
  EXPECT_TRUE(fs::is_symlink(path("wanted.txt")));
  EXPECT_EQ(read("victim"), "");
}

TEST_F(OpenReporterTest, SaysWhyAFileCannotBeWritten) {
  EXPECT_THAT([&] { report("lines=" + path("none/out.txt")); },
              ThrowsMessage<Error>(HasSubstr(path("none/out.txt"))));
}

TEST_F(OpenReporterTest, KnowsItsReporter) {
  const OpenReporter lines(parse_request("lines"));
  EXPECT_EQ(lines.name(), "lines");
  EXPECT_EQ(lines.path(), "");
  EXPECT_EQ(lines.level(), static_cast<std::uint32_t>(LOCI_PROFILE_LEVEL_OP));
  EXPECT_FALSE(lines.has_live_ranges());
  const OpenReporter ranges(parse_request("ranges"));
  EXPECT_EQ(ranges.path(), "ranges.txt");
  EXPECT_TRUE(ranges.has_live_ranges());
}

}  // namespace
}  // namespace loci::reporting
