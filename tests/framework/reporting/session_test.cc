#include "framework/reporting/session.h"

#include <fstream>
#include <loci/error.hpp>
#include <thread>

#include "framework/profiler/profile_file.h"
#include "tests/framework/reporting/reporting_fixture.h"

namespace loci::reporting {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::ThrowsMessage;

class SessionTest : public ReportingTest {
 protected:
  ProfilerOptions to_file(const std::string& options = "") const {
    return ProfilerOptions().reporter("lines" + options + "=" + path("out.txt")).quality(false);
  }
};

TEST_F(SessionTest, ReportsWhatRanInIt) {
  ranges(1);
  Session session(to_file().values());
  ranges(3);
  EXPECT_THAT(session.finish(), IsEmpty());
  ranges(5);
  EXPECT_EQ(read("out.txt"), "work 3\n");
}

TEST_F(SessionTest, ThereIsOne) {
  const Session session(to_file().values());
  EXPECT_THAT([&] { Session other(to_file().values()); },
              ThrowsMessage<Error>("[profiler] a session runs already; stop it before the next is "
                                   "started"));
}

TEST_F(SessionTest, ARefusedOneLeavesRoomForTheNext) {
  EXPECT_THROW(Session(to_file(":fail=create").values()), Error);
  Session session(to_file().values());
  EXPECT_THAT(session.finish(), IsEmpty());
}

TEST_F(SessionTest, OneThatEndsWithoutReportsLeavesRoomToo) {
  { const Session session(to_file().values()); }
  EXPECT_FALSE(exists("out.txt"));
  Session session(to_file().values());
  EXPECT_THAT(session.finish(), IsEmpty());
}

TEST_F(SessionTest, AReportThatFailsCostsNoOther) {
  ProfilerOptions options;
  options.quality(false);
  options.reporter("lines:fail=throw=" + path("bad.txt"));
  options.reporter("lines=" + path("good.txt"));
  options.profile_path(path("run.profile"));
  Session session(options.values());
  ranges(1);
  EXPECT_THAT(session.finish(),
              ElementsAre(HasSubstr("[profiler] the report 'lines' could not be made")));
  EXPECT_EQ(read("good.txt"), "work 1\n");
  EXPECT_FALSE(exists("bad.txt"));
  EXPECT_EQ(profiler::read_profile(path("run.profile")).threads.size(), 1U);
}

// The file that the message of a failed report names.
std::string rescued(const std::vector<std::string>& failures) {
  EXPECT_EQ(failures.size(), 2U);
  EXPECT_THAT(failures.back(), HasSubstr("[profiler] the profile is kept in "));
  const std::size_t begin = failures.back().find('/');
  return failures.back().substr(begin, failures.back().find(';') - begin);
}

TEST_F(SessionTest, KeepsTheNativeFileIfAReportFails) {
  Session session(to_file(":fail=report").values());
  ranges(1);
  const std::string kept = rescued(session.finish());
  EXPECT_EQ(profiler::read_profile(kept).threads.size(), 1U);
  std::filesystem::remove(kept);
}

TEST_F(SessionTest, KeepsItUnderANameThatNobodyForesees) {
  namespace fs = std::filesystem;
  const std::string planted =
      (fs::temp_directory_path() / ("loci-" + std::to_string(getpid()) + ".profile")).string();
  std::ofstream(path("victim")) << "precious";
  fs::create_symlink(path("victim"), planted);
  Session session(to_file(":fail=report").values());
  ranges(1);
  const std::string kept = rescued(session.finish());
  fs::remove(planted);
  EXPECT_EQ(read("victim"), "precious");
  EXPECT_NE(kept, planted);
  EXPECT_EQ(fs::symlink_status(kept).type(), fs::file_type::regular);
  EXPECT_EQ(fs::status(kept).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(profiler::read_profile(kept).threads.size(), 1U);
  fs::remove(kept);
}

TEST_F(SessionTest, SaysWhereItWasMade) {
  Session session(ProfilerOptions().no_reporter().profile_path(path("run.profile")).values());
  ranges(1);
  EXPECT_THAT(session.finish(), IsEmpty());
  const profiler::Recording recording = profiler::read_profile(path("run.profile"));
  EXPECT_EQ(recording.level, static_cast<std::uint32_t>(LOCI_PROFILE_LEVEL_DETAIL));
  EXPECT_EQ(recording.program, "reporting_test");
  EXPECT_EQ(recording.process_id, static_cast<std::uint64_t>(getpid()));
  EXPECT_GT(recording.started_at_unix_ns, std::uint64_t{1'700'000'000} * 1'000'000'000);
  EXPECT_GT(recording.wall_ns, 0U);
}

TEST_F(SessionTest, SaysWhichOfSeveralProcessesItIs) {
  const auto recorded = [&](const ProfilerOptions& options) {
    Session session(options.values());
    EXPECT_THAT(session.finish(), IsEmpty());
    return profiler::read_profile(path("run.profile"));
  };
  ProfilerOptions options;
  options.no_reporter().profile_path(path("run.profile"));
  EXPECT_EQ(recorded(options).world_size, 1U);
  setenv("RANK", "1", 1);
  setenv("WORLD_SIZE", "2", 1);
  EXPECT_EQ(recorded(options).rank, 1U);
  EXPECT_EQ(recorded(options.rank(3, 5)).rank, 3U);  // said is more than set
  EXPECT_EQ(recorded(options).world_size, 5U);
  unsetenv("RANK");
  unsetenv("WORLD_SIZE");
}

TEST_F(SessionTest, RecordsPhasesIfDetailsAreAskedFor) {
  const auto level_with = [&](const std::string& tracer_option) {
    ProfilerOptions options = to_file().profile_path(path("run.profile"));
    Session session(options.tracer_option(tracer_option).values());
    EXPECT_THAT(session.finish(), IsEmpty());
    return profiler::read_profile(path("run.profile")).level;
  };
  EXPECT_EQ(level_with("Default"), static_cast<std::uint32_t>(LOCI_PROFILE_LEVEL_OP));
  EXPECT_EQ(level_with("OpDetail"), static_cast<std::uint32_t>(LOCI_PROFILE_LEVEL_DETAIL));
}

TEST_F(SessionTest, RecordsTheStepsOfItsSchedule) {
  Session session(to_file().schedule({1, 1, 2, 2}).values());
  for (int step = 0; step < 12; ++step) {
    ranges(1);
    session.step();
  }
  EXPECT_THAT(session.finish(), IsEmpty());
  EXPECT_EQ(read("out.txt"), "work 4\n");
}

TEST_F(SessionTest, ForgetsWhatItIsTold) {
  Session session(to_file().values());
  ranges(4);
  session.reset();
  ranges(2);
  EXPECT_THAT(session.finish(), IsEmpty());
  EXPECT_EQ(read("out.txt"), "work 2\n");
}

TEST_F(SessionTest, TellsLiveRanges) {
  Session session(ProfilerOptions().reporter("ranges=" + path("ranges.txt")).values());
  ranges(2);
  std::thread([] { ranges(1); }).join();
  EXPECT_THAT(session.finish(), IsEmpty());
  EXPECT_EQ(read("ranges.txt"), "(work)(work)(work)");
}

TEST(RequireProfilerTest, NamesTheOptionOfABuildThatCannotRecord) {
  EXPECT_NO_THROW(require_profiler());
  EXPECT_THAT([] { require_profiler(false); },
              ThrowsMessage<Error>(HasSubstr("configure it with -DLOCI_WITH_PROFILER=ON")));
}

}  // namespace
}  // namespace loci::reporting
