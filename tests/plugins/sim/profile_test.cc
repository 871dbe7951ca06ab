// Profiles of programs on the software accelerator hold these spans and records.
#include <cstdio>
#include <loci/profiler.hpp>

#include "framework/profiler/profile.h"
#include "framework/profiler/profile_file.h"
#include "tests/plugins/sim/sim_program.h"
#include "tests/support/scratch_directory.h"

namespace loci {
namespace {

class SimProfileTest : public test::SimProgramTest {
 protected:
  // fill_constant -> shape -> slice -> crop_tensor, with slice on the CPU or not.
  Variable crop(bool slice_on_cpu) {
    const Variable data = fill_constant({1, 3, 8, 8}, 0.5);
    const Variable like = fill_constant({1, 3, 5, 5}, 0.5);
    const Variable extents = shape(like);
    const DeviceGuard guard(slice_on_cpu ? "cpu" : "sim:0");
    const Variable part = slice(extents, {0}, {0}, {4});
    const DeviceGuard back("sim:0");
    return crop_tensor(data, part);
  }

  // A profile of what `body` does between its construction and its end.
  template <class Body>
  profiler::Profile profile_of(ProfilerOptions options, Body&& body) {
    const std::string path = scratch_.path("some.profile");
    Profiler profiler(options.no_reporter().profile_path(path));
    body(profiler);
    EXPECT_THAT(profiler.stop(), ::testing::IsEmpty());
    return profiler::Profile(profiler::read_profile(path));
  }

  static std::uint64_t waited_copies(const loci_profile& profile) {
    std::uint64_t waited = 0;
    for (std::uint64_t i = 0; i < profile.copy_count; ++i) waited += profile.copies[i].waited;
    return waited;
  }
  static std::uint64_t calls_of(const loci_profile& profile, const std::string& name) {
    std::uint64_t calls = 0;
    for (std::uint64_t i = 0; i < profile.node_count; ++i) {
      const loci_profile_label& label = profile.labels[profile.nodes[i].label];
      if (std::string(label.name.data, label.name.size) == name) calls += profile.nodes[i].calls;
    }
    return calls;
  }

  test::ScratchDirectory scratch_;
};

TEST_F(SimProfileTest, CountsTheCopiesThatTheHostWaitsFor) {
  const Variable out = crop(/*slice_on_cpu=*/false);
  Executor executor("sim:0", CompileOptions::none(), scope_);
  const profiler::Profile profile = profile_of({}, [&](Profiler&) {
    for (int i = 0; i < 10; ++i) executor.run(main_, {}, {out});
  });
  EXPECT_EQ(waited_copies(profile.abi()), 20U);
}

TEST_F(SimProfileTest, AGuardEndsThem) {
  const Variable out = crop(/*slice_on_cpu=*/true);
  Executor executor("sim:0", CompileOptions::none(), scope_);
  const profiler::Profile profile = profile_of({}, [&](Profiler&) {
    for (int i = 0; i < 10; ++i) executor.run(main_, {}, {out});
  });
  EXPECT_EQ(waited_copies(profile.abi()), 0U);
}

TEST_F(SimProfileTest, RecordsFromTheStartToTheStop) {
  const Variable out = crop(/*slice_on_cpu=*/false);
  Executor executor("sim:0", CompileOptions::none(), scope_);
  const std::string path = scratch_.path("six.profile");
  std::unique_ptr<Profiler> profiler;
  for (int i = 0; i < 10; ++i) {
    if (i == 2) {
      profiler = std::make_unique<Profiler>(ProfilerOptions().no_reporter().profile_path(path));
    }
    if (i == 8) profiler->stop();
    executor.run(main_, {}, {out});
  }
  const profiler::Profile profile(profiler::read_profile(path));
  EXPECT_EQ(calls_of(profile.abi(), "slice"), 6U);
  EXPECT_EQ(calls_of(profile.abi(), "crop_tensor"), 6U);
  EXPECT_EQ(calls_of(profile.abi(), "fill_constant"), 12U);
}

TEST_F(SimProfileTest, AttributesAllDeviceWork) {
  const Variable out = crop(/*slice_on_cpu=*/false);
  Executor executor("sim:0", CompileOptions::none(), scope_);
  executor.run(main_, {}, {out});
  const profiler::Profile profile = profile_of({}, [&](Profiler&) {
    for (int i = 0; i < 5; ++i) executor.run(main_, {}, {out});
  });
  const loci_profile& abi = profile.abi();
  EXPECT_GT(abi.device_span_count, 0U);
  EXPECT_EQ(abi.quality->unattributed_device_spans, 0U);
  EXPECT_EQ(abi.quality->drop_count, 0U);
  std::uint64_t kernels = 0;
  for (std::uint64_t i = 0; i < abi.device_span_count; ++i) {
    kernels += abi.device_spans[i].kind == LOCI_DEVICE_WORK_KERNEL ? 1 : 0;
  }
  EXPECT_EQ(kernels, 5U * 4);  // two fill_constant, slice, crop_tensor; shape makes a host value
}

TEST_F(SimProfileTest, ShowsCallsOfTheDevicesInterface) {
  const Variable out = crop(/*slice_on_cpu=*/false);
  Executor executor("sim:0", CompileOptions::none(), scope_);
  executor.run(main_, {}, {out});
  const profiler::Profile profile = profile_of(ProfilerOptions().tracer_option("OpDetail"),
                                               [&](Profiler&) { executor.run(main_, {}, {out}); });
  EXPECT_EQ(calls_of(profile.abi(), "launch"), 5U);
  EXPECT_GE(calls_of(profile.abi(), "stream_synchronize"), 3U);
}

TEST_F(SimProfileTest, FollowsItsSchedule) {
  const Variable out = crop(/*slice_on_cpu=*/false);
  Executor executor("sim:0", CompileOptions::none(), scope_);
  const ProfilerSchedule schedule{/*skip=*/1, /*warmup=*/1, /*record=*/2, /*repeat=*/2};
  const profiler::Profile profile =
      profile_of(ProfilerOptions().schedule(schedule), [&](Profiler& profiler) {
        for (int i = 0; i < 12; ++i) {
          executor.run(main_, {}, {out});
          profiler.step();
        }
      });
  const loci_profile& abi = profile.abi();
  EXPECT_EQ(calls_of(abi, "slice"), 4U);
  ASSERT_EQ(abi.step_count, 4U);
  EXPECT_EQ(abi.steps[0].number, 2U);
  EXPECT_EQ(abi.steps[1].number, 3U);
  EXPECT_EQ(abi.steps[2].number, 6U);
  EXPECT_EQ(abi.steps[3].number, 7U);
  EXPECT_LE(abi.steps[1].end_ns, abi.steps[2].begin_ns);
}

TEST_F(SimProfileTest, TakesDevicesThatAreOpenedMeanwhile) {
  const Variable out = relu(fill_constant({4}, -1.0));
  const profiler::Profile profile = profile_of({}, [&](Profiler&) {
    Executor("sim:4", CompileOptions::none(), scope_).run(main_, {}, {out});
  });
  const loci_profile& abi = profile.abi();
  EXPECT_GT(abi.device_span_count, 0U);
  EXPECT_EQ(calls_of(abi, "compile_plan"), 1U);
}

TEST_F(SimProfileTest, TimeAddsUp) {
  const Variable out = crop(/*slice_on_cpu=*/false);
  Executor executor("sim:0", CompileOptions::none(), scope_);
  executor.run(main_, {}, {out});
  const profiler::Profile profile = profile_of({}, [&](Profiler&) {
    for (int i = 0; i < 20; ++i) executor.run(main_, {}, {out});
  });
  const loci_profile_thread& main = profile.abi().threads[profile.abi().main_thread];
  const double wall = static_cast<double>(main.wall_ns);
  const double sum = static_cast<double>(main.self_ns + main.idle_ns + main.unaccounted_ns);
  EXPECT_NEAR(sum / wall, 1.0, 0.01);
  EXPECT_GT(main.idle_ns, 0U);
}

}  // namespace
}  // namespace loci
