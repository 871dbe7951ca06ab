#include "framework/eager/stream_work.h"

#include "tests/framework/eager/eager_fixture.h"

namespace loci::eager {
namespace {

class StreamWorkTest : public EagerTest {};

TEST_F(StreamWorkTest, HasTheDefaultStreamOrItsOwn) {
  device::Device& sim = device_at("sim:1");
  EXPECT_EQ(StreamWork(sim, /*is_default=*/true).handle(), sim.default_stream());
  EXPECT_NE(StreamWork(sim, /*is_default=*/false).handle(), sim.default_stream());
  device::Device& cpu = device_at("cpu");
  EXPECT_EQ(StreamWork(cpu, /*is_default=*/false).handle(), cpu.default_stream());
}

TEST_F(StreamWorkTest, WhatHasEndedNeverGoesBack) {
  StreamWork work(device_at("sim:1"), /*is_default=*/false);
  EXPECT_EQ(work.ended(), 0U);
  work.set_ended(5);
  work.set_ended(3);
  EXPECT_EQ(work.ended(), 5U);
}

TEST_F(StreamWorkTest, AWaitLearnsOfAllThatWasIssued) {
  StreamWork work(device_at("sim:1"), /*is_default=*/false);
  work.issued().note(1, {});
  work.issued().note(2, {});
  EXPECT_FALSE(work.issued().went_well(1));
  work.wait(1, /*issued=*/2);
  EXPECT_EQ(work.ended(), 2U);
  EXPECT_TRUE(work.issued().went_well(2));
}

TEST_F(StreamWorkTest, AQueryDoesTheSameOnceTheStreamIsThrough) {
  StreamWork work(device_at("sim:1"), /*is_default=*/false);
  work.issued().note(1, {});
  while (!work.query(1, /*issued=*/1)) {
  }
  EXPECT_EQ(work.ended(), 1U);
  EXPECT_TRUE(work.issued().went_well(1));
}

TEST_F(StreamWorkTest, ADrainAsksNothingOfTheWork) {
  StreamWork work(device_at("sim:1"), /*is_default=*/false);
  work.issued().note(1, {});
  work.drain(1);
  EXPECT_EQ(work.ended(), 1U);
  EXPECT_FALSE(work.issued().went_well(1)) << "whoever reads the results asks";
}

}  // namespace
}  // namespace loci::eager
