// The classic profiler's story, through the public API: start and stop around iterations, several
// threads, and how much of each operator is shown.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/loci.hpp>
#include <string>
#include <thread>

#include "tests/support/scratch_directory.h"

namespace loci {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class ClassicProfileTest : public ::testing::Test {
 protected:
  ClassicProfileTest() : building_(main_, startup_) {
    const Variable data = fill_constant({1, 3, 8, 8}, 0.5);
    const Variable extents = shape(fill_constant({1, 3, 5, 5}, 0.5));
    out_ = crop_tensor(data, slice(extents, {0}, {0}, {4}));
  }

  void run(Executor& executor, int times) {
    for (int i = 0; i < times; ++i) executor.run(main_, {}, {out_});
  }
  // The line of the event table that begins with the name, its columns one blank apart.
  static std::string row(const std::string& report, const std::string& name) {
    std::size_t at = 0;
    while ((at = report.find(name, at)) != std::string::npos) {
      const std::size_t begin = report.rfind('\n', at) + 1;
      const bool is_name =
          report.find_first_not_of(' ', begin) == at && report[at + name.size()] == ' ';
      if (!is_name) {
        ++at;
        continue;
      }
      std::string line;
      for (const char c : report.substr(at, report.find('\n', at) - at)) {
        if (c != ' ' || line.back() != ' ') line += c;
      }
      return line;
    }
    return {};
  }
  // The rows below one on top, each behind a line's end.
  static std::string below(const std::string& report, const std::string& name) {
    const std::size_t begin = report.find('\n', report.find("\n" + name + " ") + 1);
    std::size_t end = begin;
    while (report.compare(end, 2, "\n ") == 0) end = report.find('\n', end + 1);
    return report.substr(begin, end - begin);
  }
  // Returns what a session prints of what `calls` does.
  template <class Calls>
  static std::string report(const Calls& calls, const std::string& tracer_option) {
    const test::ScratchDirectory scratch;
    {
      Profiler profiler(ProfilerOptions()
                            .reporter("classic=" + scratch.path("report.txt"))
                            .tracer_option(tracer_option)
                            .sorted_key("total"));
      calls();
      synchronize();
      EXPECT_THAT(profiler.stop(), IsEmpty());
    }
    return scratch.read("report.txt");
  }
  std::string of_runs_at_sim(const std::string& tracer_option) {
    Executor executor("sim:0", CompileOptions::none());
    run(executor, 1);
    return report([&] { run(executor, 10); }, tracer_option);
  }
  // Returns what a session with two threads prints, which run one after the other.
  std::string of_two_threads(const std::string& tracer_option) {
    const test::ScratchDirectory scratch;
    const std::string path = scratch.path("report.txt");
    Executor executor("cpu", CompileOptions::none());
    run(executor, 1);
    {
      Profiler profiler(ProfilerOptions()
                            .reporter("classic=" + path)
                            .tracer_option(tracer_option)
                            .sorted_key("calls"));
      run(executor, 2);
      std::thread([&] { run(executor, 3); }).join();
      EXPECT_THAT(profiler.stop(), IsEmpty());
    }
    return scratch.read("report.txt");
  }

  Program main_;
  Program startup_;
  ProgramGuard building_;
  Variable out_;
};

TEST_F(ClassicProfileTest, CountsTheIterationsBetweenStartAndStop) {
  Executor executor("cpu", CompileOptions::none());
  ::testing::internal::CaptureStdout();
  for (int i = 0; i < 10; ++i) {
    if (i == 2) start_profiler("All", "Default");
    if (i == 8) {
      EXPECT_THAT(stop_profiler("total"), IsEmpty());
    }
    run(executor, 1);
  }
  const std::string report = ::testing::internal::GetCapturedStdout();
  EXPECT_THAT(report, HasSubstr("Sorted by total time in descending order in the same thread"));
  EXPECT_THAT(row(report, "thread0::slice"), HasSubstr("thread0::slice 6 "));
  EXPECT_THAT(row(report, "thread0::crop_tensor"), HasSubstr("thread0::crop_tensor 6 "));
  EXPECT_THAT(row(report, "thread0::fill_constant"), HasSubstr("thread0::fill_constant 12 "));
}

TEST_F(ClassicProfileTest, AReportsOwnOptionsGoBeforeTheSessions) {
  const test::ScratchDirectory scratch;
  Executor executor("cpu", CompileOptions::none());
  {
    const Profiler profiler(ProfilerOptions()
                                .state("CPU")
                                .sorted_key("max")
                                .reporter("classic=" + scratch.path("session.txt"))
                                .reporter("classic:state=GPU=" + scratch.path("own.txt")));
    run(executor, 1);
  }
  EXPECT_THAT(scratch.read("session.txt"),
              AllOf(HasSubstr("Place: CPU"), HasSubstr("Sorted by maximum time")));
  EXPECT_THAT(scratch.read("own.txt"),
              AllOf(HasSubstr("Place: CUDA"), HasSubstr("Sorted by maximum time")));
}

// The tutorial on switching devices shows these lines.
TEST_F(ClassicProfileTest, ShowsWhatAnOperatorReadsOnTheHostUnderIt) {
  const std::string report = of_runs_at_sim("Default");
  EXPECT_THAT(row(report, "thread0::crop_tensor"), HasSubstr("crop_tensor 10 "));
  EXPECT_THAT(below(report, "thread0::crop_tensor"), HasSubstr("\n  GpuMemcpySync:GPU->CPU"));
  EXPECT_THAT(below(report, "thread0::fetch"),
              AllOf(HasSubstr("\n  GpuMemcpyAsync:GPU->CPU"), HasSubstr("\n  synchronize")));
  EXPECT_THAT(report, Not(HasSubstr("read_extents")));
  EXPECT_THAT(row(of_runs_at_sim("OpDetail"), "thread0::crop_tensor/infer_shape"),
              HasSubstr("crop_tensor/infer_shape 10 "));
}

TEST_F(ClassicProfileTest, NamesAllMemory) {
  const std::string report = of_runs_at_sim("Default");
  EXPECT_THAT(report, HasSubstr("Memory Profiling Report"));
  EXPECT_THAT(report, Not(HasSubstr(":Unknown")));
}

TEST_F(ClassicProfileTest, TensorOpsHavePhasesToo) {
  const auto report_of = [](const std::string& tracer_option) {
    return report(
        [] {
          const Tensor x = ones({2, 2}).to("sim:0");
          for (int i = 0; i < 3; ++i) (void)relu(x + x).to_vector<float>();
        },
        tracer_option);
  };
  const std::string plain = report_of("Default");
  EXPECT_THAT(row(plain, "elementwise_add"), HasSubstr("elementwise_add 3 "));
  EXPECT_THAT(plain, Not(HasSubstr("Framework overhead       Total: 0 ")));
  EXPECT_THAT(plain, Not(HasSubstr("Ratio: 100%")));
  EXPECT_THAT(plain, Not(HasSubstr("elementwise_add/compute")));
  EXPECT_THAT(plain, Not(HasSubstr(":Unknown")));
  EXPECT_THAT(row(report_of("AllOpDetail"), "elementwise_add/compute"),
              HasSubstr("elementwise_add/compute 3 "));
}

TEST_F(ClassicProfileTest, MergesThreadsAndShowsThemApart) {
  const std::string report = of_two_threads("Default");
  EXPECT_THAT(report, HasSubstr("Note! This Report merge all thread info into one."));
  EXPECT_THAT(row(report, "slice"), HasSubstr("slice 5 "));
  EXPECT_THAT(row(report, "thread0::slice"), HasSubstr("thread0::slice 2 "));
  EXPECT_THAT(row(report, "thread1::slice"), HasSubstr("thread1::slice 3 "));
  EXPECT_THAT(report, Not(HasSubstr("slice/compute")));
}

TEST_F(ClassicProfileTest, ShowsPhasesInOpDetail) {
  const std::string report = of_two_threads("OpDetail");
  EXPECT_THAT(row(report, "slice/compute"), HasSubstr("slice/compute 5 "));
  EXPECT_THAT(row(report, "fill_constant/compute"), HasSubstr("fill_constant/compute 10 "));
  EXPECT_THAT(report, Not(HasSubstr("fill_constant0")));
}

TEST_F(ClassicProfileTest, ShowsInstancesInAllOpDetail) {
  const std::string report = of_two_threads("AllOpDetail");
  EXPECT_THAT(row(report, "fill_constant"), HasSubstr("fill_constant 10 "));
  EXPECT_THAT(row(report, "fill_constant0"), HasSubstr("fill_constant0 5 "));
  EXPECT_THAT(row(report, "fill_constant1"), HasSubstr("fill_constant1 5 "));
  EXPECT_THAT(row(report, "fill_constant1/compute"), HasSubstr("fill_constant1/compute 5 "));
}

}  // namespace
}  // namespace loci
