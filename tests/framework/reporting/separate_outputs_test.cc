#include "framework/reporting/separate_outputs.h"

#include <fstream>
#include <loci/error.hpp>

#include "framework/reporting/session.h"
#include "tests/framework/reporting/reporting_fixture.h"

namespace loci::reporting {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class SeparateOutputsTest : public ReportingTest {
 protected:
  static void check(const std::vector<std::string>& requests, const std::string& profile = "") {
    std::vector<std::unique_ptr<OpenReporter>> reporters;
    for (const std::string& text : requests) {
      reporters.push_back(std::make_unique<OpenReporter>(parse_request(text)));
    }
    require_separate_outputs(reporters, profile);
  }
  static void expect_refused(const std::vector<std::string>& requests,
                             const std::string& profile = "") {
    EXPECT_THAT([&] { check(requests, profile); },
                ThrowsMessage<Error>(HasSubstr("give each a file of its own")))
        << requests.back();
  }
};

TEST_F(SeparateOutputsTest, NamesBothReportersAndTheFile) {
  const std::string file = path("out.txt");
  try {
    check({"lines=" + file, "ranges=" + path("./out.txt")});
    ADD_FAILURE() << "was taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
    EXPECT_THAT(error.what(), AllOf(HasSubstr("the report 'lines' ('" + file + "')"),
                                    HasSubstr("the report 'ranges' ('" + path("./out.txt") + "')"),
                                    HasSubstr("give each a file of its own, as in NAME=OUT")));
  }
}

TEST_F(SeparateOutputsTest, KnowsAFileByAnySpelling) {
  const fs::path before = fs::current_path();
  fs::current_path(path(""));
  fs::create_directory("sub");
  expect_refused({"lines=a", "lines=./a"});
  expect_refused({"lines=a", "lines=sub/../a"});
  expect_refused({"lines=a", "lines=" + path("a")});
  expect_refused({"lines=none/a", "lines=./none/a"});
  expect_refused({"ranges", "lines=ranges.txt"});
  fs::current_path(before);
}

TEST_F(SeparateOutputsTest, KnowsItThroughLinks) {
  fs::create_directory(path("sub"));
  fs::create_directory_symlink("sub", path("other"));
  fs::create_symlink("sub/out.txt", path("link"));
  fs::create_symlink("link", path("twice"));
  // Before the file is there and after.
  for (int i = 0; i < 2; ++i) {
    expect_refused({"lines=" + path("sub/out.txt"), "lines=" + path("link")});
    expect_refused({"lines=" + path("twice"), "lines=" + path("other/out.txt")});
    std::ofstream(path("sub/out.txt")) << "older";
  }
  EXPECT_NO_THROW(check({"lines=" + path("sub/a"), "lines=" + path("a")}));
}

TEST_F(SeparateOutputsTest, ALinkInACircleIsForWritingToRefuse) {
  fs::create_symlink("circle", path("circle"));
  EXPECT_NO_THROW(check({"lines=" + path("circle"), "lines=" + path("a")}));
}

TEST_F(SeparateOutputsTest, KeepsTheNativeProfile) {
  EXPECT_THAT([&] { check({"lines=" + path("run")}, path("run")); },
              ThrowsMessage<Error>(AllOf(HasSubstr("the profile ('" + path("run") + "')"),
                                         HasSubstr("the report 'lines'"))));
  EXPECT_NO_THROW(check({"lines=" + path("a"), "lines=" + path("b")}, path("run")));
}

TEST_F(SeparateOutputsTest, ReportsOnStandardOutputFollowEachOther) {
  EXPECT_NO_THROW(check({"lines", "lines=-", "lines"}));
}

TEST_F(SeparateOutputsTest, AreAskedForBeforeASessionBegins) {
  const auto options = [&](const std::string& second) {
    return ProfilerOptions().reporter("lines=" + path("a")).reporter("lines=" + path(second));
  };
  EXPECT_THROW(Session(options("./a").values()), Error);
  EXPECT_THROW(Session(options("b").profile_path(path("b")).values()), Error);
  Session session(options("b").profile_path(path("c")).values());
  EXPECT_TRUE(session.finish().empty());
}

}  // namespace
}  // namespace loci::reporting
