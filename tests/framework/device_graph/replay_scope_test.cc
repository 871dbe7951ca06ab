#include "framework/device_graph/replay_scope.h"

#include <gtest/gtest.h>

#include <loci/profiler.hpp>

#include "framework/profiler/profile_file.h"
#include "tests/support/scratch_directory.h"

namespace loci::device_graph {
namespace {

// Returns the details of the replays that were told.
std::vector<std::string> replays_told(const std::function<void()>& replay) {
  const test::ScratchDirectory scratch;
  const std::string path = scratch.path("replays.profile");
  Profiler profiler(ProfilerOptions().no_reporter().profile_path(path));
  replay();
  (void)profiler.stop();
  const profiler::Recording recording = profiler::read_profile(path);
  std::vector<std::string> details;
  for (const profiler::Thread& thread : recording.threads) {
    for (const profiler::Span& span : thread.spans) {
      const profiler::Label& label = recording.labels[span.label];
      if (label.name == "replay_graph") details.push_back(label.detail);
    }
  }
  return details;
}

TEST(ReplayScopeTest, NamesTheGraphAndTheReplay) {
  const auto replay = [] { const ReplayScope scope(/*graph=*/3, /*replay=*/17); };
  EXPECT_EQ(replays_told(replay), std::vector<std::string>{"graph 3, replay 17"});
}

TEST(ReplayScopeTest, TooManyAreToldWithoutTheirNumber) {
  const auto replay_many = [] {
    for (std::uint64_t i = 1; i <= ReplayScope::kMostNumbered + 1; ++i) {
      const ReplayScope scope(/*graph=*/3, i);
    }
  };
  const std::vector<std::string> told = replays_told(replay_many);
  ASSERT_FALSE(told.empty());
  EXPECT_EQ(told.back(), "graph 3");
}

TEST(ReplayScopeTest, ManyGraphsHaveNoLabelsOfTheirOwn) {
  const auto replay_many = [] {
    for (std::uint64_t i = 1; i <= ReplayScope::kMostNumbered + ReplayScope::kMostNamed + 1; ++i) {
      const ReplayScope scope(/*graph=*/i, /*replay=*/1);
    }
  };
  const std::vector<std::string> told = replays_told(replay_many);
  ASSERT_FALSE(told.empty());
  EXPECT_EQ(told.back(), "");
}

}  // namespace
}  // namespace loci::device_graph
