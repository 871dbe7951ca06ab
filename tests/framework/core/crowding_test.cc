#include "framework/core/crowding.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <chrono>
#include <thread>

#include "framework/core/processors.h"

namespace loci::core {
namespace {

constexpr std::uint32_t kNumber = 7;

cpu_set_t mask_of_this_thread() {
  cpu_set_t mask;
  sched_getaffinity(0, sizeof mask, &mask);
  return mask;
}

// Acts as if a thread of the team looked where the calling one runs.
void be_alone_beside_one_that_looks() {
  note_looking(kNumber);
  for (int i = 0; i < 100; ++i) note_alone(/*threads=*/kNumber);
  note_asleep(kNumber);
}

constexpr int kTries = 10;

// How often of kTries the thread is elsewhere behind `loops`. The system may move it, too, at any
// time.
template <class Loops>
int moves_by(const Loops& loops) {
  int moves = 0;
  for (int i = 0; i < kTries; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(12));  // moves come not too often
    const int here = sched_getcpu();
    loops();
    moves += sched_getcpu() != here ? 1 : 0;
  }
  return moves;
}

TEST(CrowdingTest, ACallerLeavesTheProcessorWhereAThreadLooks) {
  if (allowed_processors().size() < 2) GTEST_SKIP() << "there is one processor";
  std::thread([] {
    const cpu_set_t before = mask_of_this_thread();
    EXPECT_GT(moves_by(&be_alone_beside_one_that_looks), kTries / 2);
    const cpu_set_t after = mask_of_this_thread();
    EXPECT_TRUE(CPU_EQUAL(&before, &after));
  }).join();
}

TEST(CrowdingTest, ACallerThatIsHelpedStays) {
  std::thread([] {
    const auto helped = [] {
      note_looking(kNumber);
      for (int i = 0; i < 100; ++i) {
        note_alone(/*threads=*/kNumber);
        note_helped();
      }
      note_asleep(kNumber);
    };
    EXPECT_LT(moves_by(helped), kTries / 2);
  }).join();
}

TEST(CrowdingTest, AThreadThatMayRunNowhereElseStays) {
  std::thread([] {
    cpu_set_t there;
    CPU_ZERO(&there);
    CPU_SET(allowed_processors().front(), &there);
    sched_setaffinity(0, sizeof there, &there);
    be_alone_beside_one_that_looks();
    const cpu_set_t after = mask_of_this_thread();
    EXPECT_TRUE(CPU_EQUAL(&after, &there));
  }).join();
}

}  // namespace
}  // namespace loci::core
