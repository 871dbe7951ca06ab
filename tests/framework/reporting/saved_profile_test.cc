#include "framework/reporting/saved_profile.h"

#include <loci/error.hpp>

#include "framework/profiler/profile_file.h"
#include "tests/framework/reporting/reporting_fixture.h"

namespace loci::reporting {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class SavedProfileTest : public ReportingTest {
 protected:
  std::string save(const std::vector<profiler::Span>& spans) const {
    profiler::Recording recording;
    recording.wall_ns = 100;
    recording.labels = {{.kind = LOCI_SPAN_USER, .name = "work"}};
    recording.threads = {{1, "main", spans}};
    profiler::write_profile(recording, path("run.profile"));
    return path("run.profile");
  }
};

TEST_F(SavedProfileTest, IsOpened) {
  EXPECT_EQ(open_profile(save({{10, 20}})).abi().span_count, 1U);
}

TEST_F(SavedProfileTest, NamesAFileThatIsNotSound) {
  EXPECT_THAT(
      [&] {
        (void)open_profile(save({{10, 30}, {20, 40}}));
      },
      ThrowsMessage<Error>(AllOf(HasSubstr(path("run.profile")), HasSubstr("main"))));
  EXPECT_THAT([&] { (void)open_profile(path("none")); },
              ThrowsMessage<Error>(HasSubstr(path("none"))));
}

}  // namespace
}  // namespace loci::reporting
