#include "tools/cuda_double/driver/race_checker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/cuda_double/driver/task.h"

namespace loci::cuda_double {
namespace {

using ::testing::HasSubstr;

class RaceCheckerTest : public ::testing::Test {
 protected:
  RaceCheckerTest() { address_ = memory_.allocate(4096, MemoryKind::kDevice, 0, "the test"); }

  // Work of an actor behind other work.
  Task task(Actor actor, std::initializer_list<const Task*> before, const char* what) {
    Task made;
    made.what = what;
    for (const Task* each : before) made.clock.join(each->clock);
    made.epoch = actors_.next(actor);
    made.clock.advance(made.epoch);
    return made;
  }
  void access(const Task& by, std::uint64_t offset, std::uint64_t bytes, bool written,
              bool atomic = false) {
    races_.accessed(by, {address_ + offset, bytes, written, atomic, {}});
  }

  DeviceMemory memory_{{std::uint64_t{1} << 20, 0, false, false}};
  Findings findings_{false};
  RaceChecker races_{true, findings_, memory_};
  ActorSupply actors_;
  Actor first_ = actors_.take();
  Actor second_ = actors_.take();
  std::uint64_t address_ = 0;
};

TEST_F(RaceCheckerTest, UnorderedWritesRace) {
  access(task(first_, {}, "one"), 0, 64, true);
  access(task(second_, {}, "other"), 32, 64, true);
  ASSERT_EQ(findings_.count(), 1u);
  EXPECT_THAT(findings_.text(0), HasSubstr("race: other writes 32 bytes that one writes"));
}

TEST_F(RaceCheckerTest, OrderedWorkDoesNot) {
  const Task one = task(first_, {}, "one");
  access(one, 0, 64, true);
  access(task(second_, {&one}, "other"), 0, 64, true);
  EXPECT_EQ(findings_.count(), 0u);
}

TEST_F(RaceCheckerTest, WorkOfOneActorIsOrdered) {
  const Task one = task(first_, {}, "one");
  access(one, 0, 64, true);
  access(task(first_, {&one}, "next"), 0, 64, false);
  EXPECT_EQ(findings_.count(), 0u);
}

TEST_F(RaceCheckerTest, AReadAfterAnUnorderedWriteRacesAndAWriteAfterARead) {
  access(task(first_, {}, "writer"), 0, 8, true);
  access(task(second_, {}, "reader"), 0, 8, false);
  access(task(second_, {}, "early reader"), 128, 8, false);
  access(task(first_, {}, "late writer"), 128, 8, true);
  ASSERT_EQ(findings_.count(), 2u);
  EXPECT_THAT(findings_.text(0), HasSubstr("reader reads 8 bytes that writer writes"));
  EXPECT_THAT(findings_.text(1), HasSubstr("late writer writes 8 bytes that early reader reads"));
}

TEST_F(RaceCheckerTest, ReadsDoNotRace) {
  access(task(first_, {}, "one"), 0, 64, false);
  access(task(second_, {}, "other"), 0, 64, false);
  EXPECT_EQ(findings_.count(), 0u);
}

TEST_F(RaceCheckerTest, AllUnorderedReadersAreKept) {
  const Task one = task(first_, {}, "one reader");
  const Task other = task(second_, {}, "other reader");
  access(one, 0, 8, false);
  access(other, 0, 8, false);
  access(task(second_, {&other}, "writer"), 0, 8, true);
  ASSERT_EQ(findings_.count(), 1u);
  EXPECT_THAT(findings_.text(0), HasSubstr("one reader reads"));
}

TEST_F(RaceCheckerTest, AtomicAccessesDoNotRaceWithEachOther) {
  access(task(first_, {}, "one"), 0, 8, true, true);
  access(task(second_, {}, "other"), 0, 8, true, true);
  EXPECT_EQ(findings_.count(), 0u);
  access(task(second_, {}, "plain"), 0, 8, true);
  EXPECT_EQ(findings_.count(), 1u);
}

TEST_F(RaceCheckerTest, NeighboursDoNotRace) {
  access(task(first_, {}, "one"), 0, 64, true);
  access(task(second_, {}, "other"), 64, 64, true);
  EXPECT_EQ(findings_.count(), 0u);
}

TEST_F(RaceCheckerTest, ForgottenMemoryIsNew) {
  access(task(first_, {}, "one"), 0, 64, true);
  races_.forget(address_, 4096);
  access(task(second_, {}, "other"), 0, 64, true);
  EXPECT_EQ(findings_.count(), 0u);
}

}  // namespace
}  // namespace loci::cuda_double
