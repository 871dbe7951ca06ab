#include "plugins/sim/race_checker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/plugin/error.hpp>

namespace loci::sim {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

Access reads(std::uintptr_t first, std::uintptr_t last) { return {first, last, false}; }
Access writes(std::uintptr_t first, std::uintptr_t last) { return {first, last, true}; }

class RaceCheckerTest : public ::testing::Test {
 protected:
  std::string race(std::size_t stream, const std::string& task, const Access& access) {
    try {
      checker_.enter(stream, task, {access});
    } catch (const sdk::Error& error) {
      EXPECT_EQ(error.code(), LOCI_CODE_FAILED);
      return error.what();
    }
    return "";
  }

  RaceChecker checker_;
  std::size_t a_ = checker_.add_stream();
  std::size_t b_ = checker_.add_stream();
};

TEST_F(RaceCheckerTest, NamesBothTasksAndTheirAddresses) {
  EXPECT_EQ(race(a_, "relu", writes(0x100, 0x200)), "");
  EXPECT_THAT(race(b_, "scale", reads(0x1F0, 0x300)),
              AllOf(HasSubstr("scale reads [0x1f0, 0x300)"),
                    HasSubstr("relu of stream 0 writes [0x100, 0x200)")));
}

TEST_F(RaceCheckerTest, TasksOfOneStreamAreOrdered) {
  EXPECT_EQ(race(a_, "one", writes(0, 10)), "");
  EXPECT_EQ(race(a_, "two", writes(0, 10)), "");
  EXPECT_EQ(race(a_, "three", reads(0, 10)), "");
}

TEST_F(RaceCheckerTest, ReadsDoNotRace) {
  EXPECT_EQ(race(a_, "one", reads(0, 10)), "");
  EXPECT_EQ(race(b_, "two", reads(0, 10)), "");
  EXPECT_THAT(race(a_, "three", writes(5, 6)), HasSubstr("two of stream 1 reads"));
}

TEST_F(RaceCheckerTest, NeighboursDoNotRace) {
  EXPECT_EQ(race(a_, "one", writes(10, 20)), "");
  EXPECT_EQ(race(b_, "two", writes(0, 10)), "");
  EXPECT_EQ(race(b_, "three", writes(20, 30)), "");
  EXPECT_EQ(race(b_, "nothing", writes(15, 15)), "");
}

TEST_F(RaceCheckerTest, AnEventOrders) {
  EXPECT_EQ(race(a_, "one", writes(0, 10)), "");
  const VectorClock event = checker_.now(a_);
  EXPECT_EQ(race(a_, "later", writes(20, 30)), "");
  checker_.stream_waits(b_, event);
  EXPECT_EQ(race(b_, "two", writes(0, 10)), "");
  EXPECT_NE(race(b_, "three", writes(20, 30)), "") << "the event was recorded before";
  EXPECT_NE(race(a_, "four", writes(0, 10)), "") << "the other way round nothing waits";
}

TEST_F(RaceCheckerTest, OrderPassesThroughAThirdStream) {
  const std::size_t c = checker_.add_stream();
  EXPECT_EQ(race(a_, "one", writes(0, 10)), "");
  checker_.stream_waits(b_, checker_.now(a_));
  checker_.stream_waits(c, checker_.now(b_));
  EXPECT_EQ(race(c, "two", writes(0, 10)), "");
}

TEST_F(RaceCheckerTest, WhatTheHostSawIsBeforeWhatItEnqueues) {
  EXPECT_EQ(race(a_, "one", writes(0, 10)), "");
  EXPECT_NE(race(b_, "two", reads(0, 10)), "");
  checker_.host_saw(checker_.now(a_));
  EXPECT_EQ(race(b_, "two", reads(0, 10)), "");
}

TEST_F(RaceCheckerTest, TheHostItselfIsChecked) {
  EXPECT_EQ(race(a_, "one", reads(0, 10)), "");
  try {
    checker_.enter_host("mem_free", {writes(0, 10)});
    FAIL() << "the task may still read";
  } catch (const sdk::Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("mem_free writes"));
  }
  checker_.host_saw(checker_.now(a_));
  checker_.enter_host("mem_free", {writes(0, 10)});
}

TEST_F(RaceCheckerTest, ATaskThatRacesHasNotEntered) {
  EXPECT_EQ(race(a_, "one", writes(0, 10)), "");
  EXPECT_NE(race(b_, "two", writes(0, 20)), "");
  EXPECT_EQ(race(a_, "three", writes(10, 20)), "");
}

TEST_F(RaceCheckerTest, ForgottenMemoryHasNoHistory) {
  EXPECT_EQ(race(a_, "one", writes(0, 30)), "");
  checker_.forget(10, 20);
  EXPECT_EQ(race(b_, "two", writes(10, 20)), "");
  EXPECT_NE(race(b_, "three", writes(9, 10)), "");
  EXPECT_NE(race(b_, "four", writes(20, 21)), "");
}

TEST_F(RaceCheckerTest, PartsOfARangeKeepTheirOwnHistory) {
  EXPECT_EQ(race(a_, "one", writes(0, 100)), "");
  checker_.host_saw(checker_.now(a_));
  EXPECT_EQ(race(a_, "two", writes(40, 60)), "");
  EXPECT_EQ(race(b_, "left", writes(0, 40)), "");
  EXPECT_EQ(race(b_, "right", reads(60, 200)), "");
  EXPECT_THAT(race(b_, "middle", reads(30, 41)), HasSubstr("two of stream 0"));
  EXPECT_THAT(race(a_, "beyond", writes(150, 151)), HasSubstr("right of stream 1"));
}

}  // namespace
}  // namespace loci::sim
