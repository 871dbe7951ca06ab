// These tests show what a program's user sees when the device fails.
#include <cstdint>
#include <filesystem>
#include <future>
#include <iterator>
#include <loci/devices.hpp>
#include <loci/settings.hpp>
#include <loci/stream.hpp>

#include "framework/device/stream.h"
#include "tests/plugins/sim/sim_program.h"

namespace loci {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class SimFaultTest : public test::SimProgramTest {
 protected:
  // x -> scale -> relu, at a place of which nothing else runs.
  std::string run(const char* place, ErrorCode code) {
    if (!out_.defined()) out_ = relu(scale(data("x", {2}, kFloat32), 2.0));
    try {
      Executor executor(place, CompileOptions::none(), scope_);
      const Tensor x = Tensor::from<float>({1, -1}, {2});
      result_ = executor.run(main_, {{"x", x}}, {out_}).front().to_vector<float>();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), code) << error.what();
      return error.what();
    }
    return "";
  }

  // With a tensor that outlives its device.
  static void lose_and_reopen() {
    const Tensor kept = fill_constant({1 << 18}, 1.0F, "sim:4");
    const Tensor more = fill_constant({1 << 18}, 1.0F, "sim:4");
    synchronize("sim:4");
    faults("sim:4").lose = 1;
    const Tensor failed = relu(kept);
    EXPECT_THROW(synchronize("sim:4"), Error);
    reopen_device("sim:4");
    EXPECT_THROW((void)kept.to_vector<float>(), Error);
    const Tensor fresh = Tensor::from<float>({2, -2}, {2}).to("sim:4");
    EXPECT_THAT(relu(fresh).to_vector<float>(), ElementsAre(2, 0));
  }

  Variable out_;
  std::vector<float> result_;
};

TEST_F(SimFaultTest, AFailedAllocationIsTriedAgainAndThenOutOfMemory) {
  faults("sim:2").alloc = 1;
  EXPECT_EQ(run("sim:2", ErrorCode::kFailed), "") << "the allocator asks again for less";
  EXPECT_EQ(faults("sim:2").alloc, 0);
  EXPECT_THAT(result_, ElementsAre(2, 0));
}

TEST_F(SimFaultTest, MoreThanThereIsIsOutOfMemory) {
  const Variable large = fill_constant({std::int64_t{5} << 28, 4}, 0.0);
  Executor executor("sim:0", CompileOptions::none(), scope_);
  try {
    executor.run(main_, {}, {mean(large)});
    FAIL() << "20 GiB do not fit into 4";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kOutOfMemory);
    EXPECT_THAT(error.what(), HasSubstr("sim:0"));
  }
}

TEST_F(SimFaultTest, AFailedCopyStopsTheRunAndTheNextOneWorks) {
  faults("sim:2").copy = 1;
  EXPECT_THAT(run("sim:2", ErrorCode::kFailed), AllOf(HasSubstr("sim:2"), HasSubstr("copy fails")));
  EXPECT_EQ(run("sim:2", ErrorCode::kFailed), "");
  EXPECT_THAT(result_, ElementsAre(2, 0));
}

TEST_F(SimFaultTest, AFailedLaunchNamesTheOperator) {
  faults("sim:2").launch = 2;
  EXPECT_THAT(run("sim:2", ErrorCode::kFailed), HasSubstr("relu fails"));
  EXPECT_EQ(run("sim:2", ErrorCode::kFailed), "");
}

TEST_F(SimFaultTest, AnErrorOfEnqueuedWorkComesWithTheWaitAndNamesTheOperator) {
  faults("sim:2").task = 3;  // the copy of x, scale, relu
  EXPECT_THAT(run("sim:2", ErrorCode::kFailed),
              AllOf(HasSubstr("running its work"), HasSubstr("sim:2: relu: it fails"),
                    HasSubstr("it is a program's run at sim:2: [relu] relu_0 at sim:2, "),
                    HasSubstr("float32[2]")));
  EXPECT_EQ(run("sim:2", ErrorCode::kFailed), "");
  faults("sim:2").task = 1;
  EXPECT_THAT(run("sim:2", ErrorCode::kFailed), HasSubstr("copy of 8 bytes to the device"));
}

TEST_F(SimFaultTest, AFailedEventIsAnError) {
  device::Event event(device_at("sim:2"));
  faults("sim:2").event = 1;
  try {
    event.record(device_at("sim:2").default_stream());
    FAIL() << "the record was to fail";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kFailed);
    EXPECT_THAT(error.what(), AllOf(HasSubstr("recording an event"), HasSubstr("sim:2")));
  }
}

TEST_F(SimFaultTest, ALostDeviceFailsEveryRunAndTheOthersGoOn) {
  EXPECT_EQ(run("sim:5", ErrorCode::kFailed), "");
  EXPECT_EQ(device_loss("sim:5"), "");
  faults("sim:5").lose = 2;
  EXPECT_THAT(run("sim:5", ErrorCode::kDeviceLost),
              HasSubstr("sim:5 is lost: scale took it along"));
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(run("sim:5", ErrorCode::kDeviceLost),
                AllOf(HasSubstr("[device] sim:5 is lost: [sim] sim:5 is lost: scale took it along"),
                      HasSubstr("use another device, or call reopen_device()")));
  }
  EXPECT_FALSE(is_available("sim:5"));
  EXPECT_THAT(device_loss("sim:5"), HasSubstr("scale took it along"));
  EXPECT_EQ(run("sim:2", ErrorCode::kFailed), "");
  reopen_device("sim:5");  // for the other tests
}

TEST_F(SimFaultTest, ALostDeviceIsReopenedAndItsOldTensorsStayRefused) {
  const auto lost = [](const auto& use) {
    try {
      use();
      FAIL() << "the device is lost";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kDeviceLost) << error.what();
      EXPECT_THAT(error.what(), HasSubstr("sim:4 is lost: "));
    }
  };
  {
    const Tensor kept = Tensor::from<float>({1, -1}, {2}).to("sim:4");
    synchronize("sim:4");
    faults("sim:4").lose = 1;
    const Tensor failed = relu(kept);
    try {
      synchronize("sim:4");
      FAIL() << "the device was lost";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kDeviceLost);
      EXPECT_THAT(error.what(), AllOf(HasSubstr("sim:4 is lost: relu took it along"),
                                      HasSubstr("it is [relu] float32 [2] at sim:4, enqueued at")));
    }
    lost([&] { (void)kept.to_vector<float>(); });
    lost([&] { (void)failed.to_vector<float>(); });
    lost([&] { (void)(kept + 1.0).to_vector<float>(); });
    lost([&] { (void)Tensor::from<float>({1}, {1}).to("sim:4"); });
    lost([&] { (void)device_properties("sim:4"); });
    lost([&] { (void)Executor("sim:4"); });

    reopen_device("sim:4");
    EXPECT_TRUE(is_available("sim:4"));
    EXPECT_EQ(device_loss("sim:4"), "");
    lost([&] { (void)kept.to_vector<float>(); });
    const Tensor fresh = Tensor::from<float>({2, -2}, {2}).to("sim:4");
    EXPECT_THAT(relu(fresh).to_vector<float>(), ElementsAre(2, 0));
    lost([&] { (void)(kept + fresh).to_vector<float>(); });
  }
  EXPECT_EQ(run("sim:4", ErrorCode::kFailed), "");
  EXPECT_THAT(result_, ElementsAre(2, 0));
  reopen_device("sim:4");  // which is not lost any more
}

// The devices before the latest are closed, with their threads.
TEST_F(SimFaultTest, TheSameCallsWorkAfterEachReopening) {
  const auto threads = [] {
    const std::filesystem::directory_iterator tasks("/proc/self/task");
    return std::distance(begin(tasks), end(tasks));
  };
  for (int i = 0; i < 3; ++i) lose_and_reopen();
  const auto before = threads();
  for (int i = 0; i < 20; ++i) lose_and_reopen();
  EXPECT_LE(threads(), before + 2);
}

TEST_F(SimFaultTest, ADeviceThatHangsIsLostWhenTheLimitIsOver) {
  const Tensor x = Tensor::from<float>({1, -1}, {2}).to("sim:3");
  synchronize("sim:3");
  std::promise<void> gate;
  const Stream stream("sim:3");
  stream.launch_host_function([opened = gate.get_future().share()] { opened.wait(); });
  Tensor y;
  {
    const StreamGuard on(stream);
    y = relu(x);
  }
  config::set("SYNC_TIMEOUT", "1");
  try {
    (void)y.to_vector<float>();
    FAIL() << "the stream hangs";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kDeviceLost);
    EXPECT_THAT(error.what(),
                AllOf(HasSubstr("[device] sim:3 is lost: the work in a stream besides its default "
                                "one has not come to an end within 1 s (LOCI_SYNC_TIMEOUT)"),
                      HasSubstr("[relu] float32 [2] at sim:3, enqueued at ")));
  }
  config::set("SYNC_TIMEOUT", "");
  EXPECT_FALSE(is_available("sim:3"));
  gate.set_value();  // too late: nobody asks it any more
  EXPECT_THROW((void)x.to_vector<float>(), Error);
  reopen_device("sim:3");
  EXPECT_EQ(run("sim:3", ErrorCode::kFailed), "");
  EXPECT_THAT(result_, ElementsAre(2, 0));
}

TEST_F(SimFaultTest, TouchingDeviceMemoryFaults) {
  const Tensor there = Tensor::from<float>({1, 2}, {2}).to("sim:0");
  EXPECT_DEATH(*static_cast<volatile float*>(there.raw_data()) = 1, "");
}

}  // namespace
}  // namespace loci
