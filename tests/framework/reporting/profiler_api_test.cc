#include <loci/error.hpp>

#include "tests/framework/reporting/reporting_fixture.h"

namespace loci::reporting {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::ThrowsMessage;

class ProfilerApiTest : public ReportingTest {};

TEST_F(ProfilerApiTest, StopsAtTheEndOfItsScope) {
  {
    const Profiler profiler(ProfilerOptions().reporter("lines=" + path("out.txt")).quality(false));
    ranges(2);
  }
  EXPECT_EQ(read("out.txt"), "work 2\n");
}

TEST_F(ProfilerApiTest, StopsOnce) {
  Profiler profiler(ProfilerOptions().reporter("lines=" + path("out.txt")));
  EXPECT_THAT(profiler.stop(), IsEmpty());
  std::filesystem::remove(path("out.txt"));
  EXPECT_THAT(profiler.stop(), IsEmpty());
  profiler.step();
  EXPECT_FALSE(exists("out.txt"));
}

TEST_F(ProfilerApiTest, RefusesADoubleStartAndNesting) {
  const Profiler profiler(ProfilerOptions().no_reporter());
  EXPECT_THAT([] { const Profiler inner(ProfilerOptions().no_reporter()); },
              ThrowsMessage<Error>(HasSubstr("a session runs already")));
}

TEST_F(ProfilerApiTest, RefusesToStopOrResetWhatWasNotStarted) {
  EXPECT_THAT([] { stop_profiler(); },
              ThrowsMessage<Error>(HasSubstr("without a start_profiler() before it")));
  EXPECT_THAT([] { reset_profiler(); }, ThrowsMessage<Error>(HasSubstr("while no session runs")));
  EXPECT_THAT([] { stop_profiler("best"); }, ThrowsMessage<Error>(HasSubstr("is no sorted key")));
}

TEST_F(ProfilerApiTest, MakesReportsOfSavedProfiles) {
  {
    const Profiler profiler(ProfilerOptions().no_reporter().profile_path(path("run.profile")));
    ranges(2);
  }
  EXPECT_THAT(profiling::report(path("run.profile"), {"lines:quality=off=" + path("a.txt"),
                                                      "lines=long=" + path("b.txt")}),
              IsEmpty());
  EXPECT_EQ(read("a.txt"), "work 2\n");
  EXPECT_EQ(read("b.txt"), "work 2\nlong\nquality\n");
  EXPECT_THAT(profiling::report(path("run.profile"), {"lines:fail=report"}),
              ElementsAre(HasSubstr("will not report")));
}

TEST_F(ProfilerApiTest, SaysWhereAReportGoes) {
  EXPECT_EQ(profiling::output_of("lines"), "");
  EXPECT_EQ(profiling::output_of("lines=x.txt"), "x.txt");
  EXPECT_EQ(profiling::output_of("ranges"), "ranges.txt");
}

TEST_F(ProfilerApiTest, ListsReporters) {
  bool found = false;
  for (const profiling::ReporterInfo& reporter : profiling::reporters()) {
    if (reporter.name != "lines") continue;
    found = true;
    EXPECT_EQ(reporter.description, "one line for each node");
    EXPECT_THAT(reporter.forms, ElementsAre("short", "long"));
  }
  EXPECT_TRUE(found);
}

TEST_F(ProfilerApiTest, RecordsWhatAnExecutorRuns) {
  Program main;
  Program startup;
  const ProgramGuard building(main, startup);
  const Variable y = relu(fill_constant({4}, -1.0));
  Executor executor("cpu", CompileOptions::none());
  {
    const Profiler profiler(ProfilerOptions().reporter("lines=" + path("out.txt")).quality(false));
    for (int i = 0; i < 3; ++i) executor.run(main, {}, {y});
  }
  const std::string lines = read("out.txt");
  for (const char* line : {"run 3\n", "compile_plan 1\n", "init_variables 3\n", "fill_constant 3\n",
                           "relu 3\n", "fetch 3\n", "eager_release 3\n"}) {
    EXPECT_THAT(lines, HasSubstr(line));
  }
}

}  // namespace
}  // namespace loci::reporting
