#include "framework/dispatch/kernel.h"

#include <malloc.h>

#include <cstdio>
#include <cstdlib>
#include <thread>

#include "framework/core/abi/error.h"
#include "framework/core/process_end.h"
#include "framework/dispatch/binding.h"
#include "framework/plugin/layout_table.h"
#include "tests/framework/dispatch/dispatch_fixture.h"

namespace loci::dispatch {
namespace {

using ::testing::HasSubstr;

class KernelTest : public DispatchTest {
 protected:
  // Without a cache, so that each is prepared anew.
  static Binding bind(device::Device& device) {
    return bind_kernel(device, unary("relu", {4}), nullptr);
  }
  static void launch(const Binding& bound) {
    constexpr std::int64_t kDims[] = {4};
    float elements[4] = {};
    loci_view view{};
    view.dtype = LOCI_DTYPE_F32;
    view.rank = 1;
    view.dims = kDims;
    view.data = elements;
    view.bytes = sizeof elements;
    view.residence = LOCI_RESIDENCE_DEVICE;
    const loci_view* views[] = {&view};
    loci_launch call{};
    call.inputs = views;
    call.outputs = views;
    EXPECT_EQ(bound.kernel->launch(call), nullptr);
  }
};

TEST_F(KernelTest, PreparedKernelsCountAsLiveObjects) {
  device::Device& device = device_at("toy:0");
  const std::int64_t before = device.plugin().live_objects();
  {
    const Binding bound = bind(device);
    EXPECT_NE(bound.kernel->launch_function(), nullptr);
    EXPECT_EQ(device.plugin().live_objects(), before + 1);
  }
  EXPECT_EQ(device.plugin().live_objects(), before);
}

// Executors that come and go prepare the same again. 32 bytes would stay with the C library for
// each.
TEST_F(KernelTest, PreparingTheSameAgainLeavesNothingBehind) {
  device::Device& device = device_at("cpu");
  const auto bytes_after = [&](int times) {
    for (int i = 0; i < times; ++i) (void)bind(device);
    return mallinfo2().uordblks;
  };
  constexpr int kTimes = 5000;
  const std::size_t before = bytes_after(100);
  EXPECT_LT(bytes_after(kTimes), before + 8 * kTimes);
}

// Its first run registers destructors, and nobody may have told of any since it was prepared.
TEST_F(KernelTest, ItsFirstLaunchIsFollowedByTheEndOfTheProcess) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto end = [](core::EndClock::time_point) {
    std::fputs("end ", stderr);
    return std::string();
  };
  EXPECT_EXIT(
      {
        core::at_process_end(end);
        const Binding bound = bind(device_at("cpu"));
        std::atexit([] { std::fputs("destructor ", stderr); });
        launch(bound);
        std::thread([] { std::exit(3); }).join();  // one that is not watched
      },
      ::testing::ExitedWithCode(3), "end destructor");
}

TEST_F(KernelTest, ChoosesTheLayoutOfAConstantOnly) {
  device::Device& device = device_at("toy:0");
  const ops::OpSchema& schema = ops::op_registry().get("elementwise_mul");
  const ArgumentType plain{kFloat32, {4}};
  ArgumentType constant = plain;
  constant.is_constant = true;
  const OpDesc with(schema, schema.complete({}), {{plain}, {constant}}, {{plain}});
  const OpDesc without(schema, schema.complete({}), {{plain}, {plain}}, {{plain}});
  EXPECT_NE(with.signature(false), without.signature(false));
  const Binding packs = bind_kernel(device, with, nullptr);
  ASSERT_EQ(packs.kernel->input_layouts().size(), 2U);
  EXPECT_EQ(packs.kernel->input_layouts()[0], LOCI_LAYOUT_PLAIN);
  EXPECT_EQ(plugin::find_layout(packs.kernel->input_layouts()[1])->text, "halves");
  EXPECT_TRUE(bind_kernel(device, without, nullptr).kernel->input_layouts().empty());
}

TEST_F(KernelTest, ALayoutThatItMustNotChooseIsAnError) {
  device::Device& device = device_at("toy:0");
  const std::int64_t before = device.plugin().live_objects();
  const auto message = [&](bool is_constant) {
    const ops::OpSchema& schema = ops::op_registry().get("sqrt");
    ArgumentType x{kFloat32, {4}};
    const ArgumentType out = x;
    x.is_constant = is_constant;
    try {
      (void)bind_kernel(device, OpDesc(schema, schema.complete({}), {{x}}, {{out}}), nullptr);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(message(false), HasSubstr("prepare chose layout 4000000 for input 0, which is given "
                                        "plain; report it to the author of the plugin"));
  EXPECT_THAT(message(true), HasSubstr("for input 0, which the plugin has not interned"));
  EXPECT_EQ(device.plugin().live_objects(), before);
}

TEST_F(KernelTest, PrepareIsToldWhatALaunchCosts) {
  device::Device& device = device_at("toy:0");
  EXPECT_EQ(bind_kernel(device, unary("sigmoid", {3, 2}), nullptr).refusals,
            "org.loci.test.toy/told: 24 flops, 48 bytes");
  EXPECT_EQ(bind_kernel(device, unary("floor", {3, 2}), nullptr).refusals,
            "org.loci.test.toy/told: 0 flops, 0 bytes")
      << "one object serves launches of any extents";
}

TEST_F(KernelTest, OneThatDeclinesLeavesNothing) {
  device::Device& device = device_at("toy:0");
  const OpDesc even = unary("scale", {4});
  const OpDesc odd = unary("scale", {5});
  const Implementation picky = bind_kernel(device, even, nullptr).implementation;
  EXPECT_EQ(picky.name(), "org.loci.test.toy/pairs");
  const std::int64_t before = device.plugin().live_objects();
  const Preparation declined = prepare_kernel(picky, device, odd);
  EXPECT_EQ(declined.kernel, nullptr);
  EXPECT_EQ(declined.declined, "5 elements are no pairs");
  EXPECT_EQ(device.plugin().live_objects(), before);
}

// Else reopen_device() would find nothing to do.
TEST_F(KernelTest, ALossThatIsToldByPrepareIsNoted) {
  device::Device device(device_at("toy:0").backend(), Place("toy:0"));
  const Binding bound = bind(device);
  device::KernelLibrary library = *bound.implementation.library;
  library.api.prepare = [](loci_kernel*, const loci_op_desc*, loci_prepared_info*) {
    return core::make_error(Error(ErrorCode::kDeviceLost, "it fell off the bus"));
  };
  const auto prepare = [&] {
    (void)prepare_kernel({&library, bound.implementation.def}, device, unary("relu", {4}));
  };
  EXPECT_THAT(prepare, ::testing::ThrowsMessage<Error>(HasSubstr("it fell off the bus")));
  EXPECT_TRUE(device.loss().is_lost());
}

}  // namespace
}  // namespace loci::dispatch
