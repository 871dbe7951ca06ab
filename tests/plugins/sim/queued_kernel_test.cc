#include "plugins/sim/queued_kernel.h"

#include <functional>
#include <thread>

#include "tests/plugins/sim/sim_rig.h"

namespace loci::sim {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// A kernel "probe" with one input and one output whose launch is a function of the test.
class QueuedKernelTest : public ::testing::Test {
 protected:
  using Body = std::function<loci_error*(const loci_launch&)>;
  struct Inner {
    Body body;
    bool* destroyed;
  };

  QueuedKernelTest() {
    desc_.op = sdk::to_abi("probe");
    arg_.dims = &extent_;
    arg_.rank = 1;
    arg_.dtype = LOCI_DTYPE_I32;
    desc_.inputs = &arg_;
    desc_.outputs = &arg_;
    desc_.input_slots = slots_;
    desc_.output_slots = slots_;
    desc_.input_slot_count = 1;
    desc_.output_slot_count = 1;
    for (loci_view* view : {&input_, &output_}) {
      view->dims = &extent_;
      view->rank = 1;
      view->dtype = LOCI_DTYPE_I32;
      view->bytes = 4;
      view->data = allocate(rig_.device, 4);
    }
    launch_.inputs = &inputs_;
    launch_.outputs = &outputs_;
  }
  ~QueuedKernelTest() override { stream_.drain(); }

  std::shared_ptr<const QueuedKernel> kernel(Body body) {
    loci_prepared_info info{};
    info.prepared = reinterpret_cast<loci_prepared*>(new Inner{std::move(body), &destroyed_});
    info.launch = [](const loci_prepared* prepared, const loci_launch* launch) {
      return reinterpret_cast<const Inner*>(prepared)->body(*launch);
    };
    return std::make_shared<const QueuedKernel>(
        rig_.host, desc_, info, [](loci_prepared* prepared) {
          const std::unique_ptr<Inner> inner(reinterpret_cast<Inner*>(prepared));
          *inner->destroyed = true;
        });
  }

  Rig rig_{"race=1"};
  Stream stream_{rig_.device};
  std::int64_t extent_ = 1;
  loci_arg arg_{};
  const std::uint32_t slots_[2] = {0, 1};
  loci_op_desc desc_{};
  loci_view input_{};
  loci_view output_{};
  const loci_view* inputs_ = &input_;
  const loci_view* outputs_ = &output_;
  loci_launch launch_{};
  bool destroyed_ = false;
};

TEST_F(QueuedKernelTest, CostsWhatTheHostSays) {
  desc_.flops = 3000;
  const auto probe = kernel([](const loci_launch&) -> loci_error* { return nullptr; });
  EXPECT_EQ(probe->flops(), 3000);
}

TEST_F(QueuedKernelTest, LaunchReturnsBeforeTheKernelRuns) {
  Gate gate;
  stream_.enqueue(gate.work(), {});
  std::thread::id thread;
  auto probe = kernel([&](const loci_launch& launch) -> loci_error* {
    thread = std::this_thread::get_id();
    *static_cast<int*>(launch.outputs[0]->data) = *static_cast<int*>(launch.inputs[0]->data) + 1;
    return nullptr;
  });
  probe->launch(launch_, &stream_);
  probe.reset();
  EXPECT_FALSE(destroyed_) << "the launch holds it";
  gate.open();
  EXPECT_EQ(read<int>(rig_.device, stream_, output_.data, 1)[0], 1);
  EXPECT_TRUE(destroyed_);
  EXPECT_NE(thread, std::this_thread::get_id());
  EXPECT_EQ(rig_.device.counters().launches, 1U);
}

TEST_F(QueuedKernelTest, AnErrorOfTheKernelIsTheDevicesWithTheOpsName) {
  const auto probe = kernel([&](const loci_launch&) {
    const loci_host_api& api = rig_.host.api();
    return api.error_make(api.host, LOCI_CODE_DATA_LOSS, sdk::to_abi("label 7 is not below 5"),
                          nullptr);
  });
  probe->launch(launch_, &stream_);
  stream_.synchronize();
  EXPECT_EQ(error_of(LOCI_CODE_DATA_LOSS, [&] { check_async(rig_.device); }),
            "[sim] sim:0: probe: label 7 is not below 5");
  EXPECT_EQ(rig_.test_host.live_errors(), 0);
}

TEST_F(QueuedKernelTest, ARaceNamesTheOps) {
  const auto probe = kernel([](const loci_launch&) -> loci_error* { return nullptr; });
  Stream other(rig_.device);
  probe->launch(launch_, &stream_);
  EXPECT_THAT(error_of(LOCI_CODE_FAILED, [&] { probe->launch(launch_, &other); }),
              AllOf(HasSubstr("race: probe writes"), HasSubstr("probe of stream 0 writes")));
}

TEST_F(QueuedKernelTest, FailsOnDemandAndWithoutAStream) {
  const auto probe = kernel([](const loci_launch&) -> loci_error* { return nullptr; });
  rig_.device.failures().faults().launch = 1;
  EXPECT_THAT(error_of(LOCI_CODE_FAILED, [&] { probe->launch(launch_, &stream_); }),
              HasSubstr("probe fails"));
  EXPECT_THAT(error_of(LOCI_CODE_INVALID_ARGUMENT, [&] { probe->launch(launch_, nullptr); }),
              HasSubstr("the launch of probe got no stream"));
}

TEST_F(QueuedKernelTest, OutputsOnTheHostAreThereWhenLaunchReturns) {
  int result = 0;
  output_.data = &result;
  output_.residence = LOCI_RESIDENCE_HOST;
  const auto probe = kernel([](const loci_launch& launch) -> loci_error* {
    *static_cast<int*>(launch.outputs[0]->data) = 5;
    return nullptr;
  });
  EXPECT_THAT(error_of(LOCI_CODE_UNSUPPORTED, [&] { probe->launch(launch_, &stream_); }),
              HasSubstr("probe makes a value on the host from values on the device"));
  input_.residence = LOCI_RESIDENCE_METADATA;
  Gate gate;
  stream_.enqueue(gate.work(), {});
  probe->launch(launch_, &stream_);
  EXPECT_EQ(result, 5);
  gate.open();
}

// A graph's later launches read elsewhere, those that are queued do not.
TEST_F(QueuedKernelTest, APatchIsForLaterLaunches) {
  const auto add_one = kernel([](const loci_launch& launch) -> loci_error* {
    *static_cast<int*>(launch.outputs[0]->data) = *static_cast<int*>(launch.inputs[0]->data) + 1;
    return nullptr;
  });
  launch_.flags = LOCI_LAUNCH_CAPTURING;
  stream_.begin_recording();
  stream_.annotate("probe", 4);
  add_one->launch(launch_, &stream_);
  DriverExec exec{DriverGraph(stream_.end_recording())};
  void* elsewhere = allocate(rig_.device, 4);
  write<int>(rig_.device, stream_, input_.data, {10});
  write<int>(rig_.device, stream_, elsewhere, {20});
  Gate gate;
  stream_.enqueue(gate.work(), {});
  exec.launch(stream_, {});
  exec.patch(4, 0, elsewhere);
  gate.open();
  EXPECT_EQ(read<int>(rig_.device, stream_, output_.data, 1)[0], 11);
  exec.launch(stream_, {});
  EXPECT_EQ(read<int>(rig_.device, stream_, output_.data, 1)[0], 21);
  EXPECT_EQ(error_of(LOCI_CODE_INVALID_ARGUMENT, [&] { exec.patch(4, 2, elsewhere); }),
            "[sim] argument 2 of probe has no address on the device");
  EXPECT_THAT(error_of(LOCI_CODE_INVALID_ARGUMENT, [&] { exec.patch(4, 1, &gate); }),
              HasSubstr("output 0 of probe"));
  free_now(rig_.device, elsewhere);
}

TEST_F(QueuedKernelTest, IsRecordedOnlyAsPartOfAGraph) {
  const auto probe = kernel([](const loci_launch&) -> loci_error* { return nullptr; });
  stream_.begin_recording();
  EXPECT_THAT(error_of(LOCI_CODE_INVALID_ARGUMENT, [&] { probe->launch(launch_, &stream_); }),
              HasSubstr("probe is launched without LOCI_LAUNCH_CAPTURING"));
  stream_.abort_recording();
  int value = 1;
  input_.residence = LOCI_RESIDENCE_HOST;
  void* device_data = std::exchange(input_.data, &value);
  launch_.flags = LOCI_LAUNCH_CAPTURING;
  stream_.begin_recording();
  EXPECT_THAT(error_of(LOCI_CODE_INVALID_ARGUMENT, [&] { probe->launch(launch_, &stream_); }),
              HasSubstr("probe has an argument on the host"));
  stream_.abort_recording();
  input_.data = device_data;
}

}  // namespace
}  // namespace loci::sim
