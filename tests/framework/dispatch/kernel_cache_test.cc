#include "framework/dispatch/kernel_cache.h"

#include <thread>

#include "framework/dispatch/binding.h"
#include "tests/framework/dispatch/dispatch_fixture.h"
#include "tests/support/process_width.h"

namespace loci::dispatch {
namespace {

using KernelPointer = std::shared_ptr<const PreparedKernel>;

class KernelCacheTest : public DispatchTest {
 protected:
  static KernelPointer relu_of(KernelCache& cache, std::int64_t extent) {
    const ArgumentType type{kFloat32, Shape{extent}, LOCI_RESIDENCE_DEVICE};
    const OpDesc desc(ops::op_registry().get("relu"), {}, {{type}}, {{type}});
    device::Device& device = device_at("toy:0");
    return bind_kernel(device, desc, &cache).kernel;
  }
  static std::int64_t live_objects() { return device_at("toy:0").plugin().live_objects(); }
  // Returns the bytes that one of these kernels counts as.
  static std::uint64_t bytes_of_one() {
    KernelCache cache;
    relu_of(cache, 1000);
    return cache.bytes();
  }
};

TEST_F(KernelCacheTest, OperatorsAlikeShareAKernel) {
  KernelCache cache;
  const KernelPointer first = relu_of(cache, 3);
  EXPECT_EQ(relu_of(cache, 3), first);
  EXPECT_NE(relu_of(cache, 4), first);
  EXPECT_EQ(cache.size(), 2U);
}

TEST_F(KernelCacheTest, CountsWhatIsPreparedAndNothingElse) {
  KernelCache cache;
  EXPECT_TRUE(cache.preparing().empty());
  relu_of(cache, 3);
  const auto once = cache.preparing();
  ASSERT_EQ(once.size(), 1U);
  EXPECT_EQ(once.begin()->second.count, 1U);
  EXPECT_GT(once.begin()->second.nanoseconds, 0U);
  relu_of(cache, 3);
  EXPECT_EQ(cache.preparing().begin()->second.count, 1U);
  EXPECT_EQ(cache.preparing().begin()->second.nanoseconds, once.begin()->second.nanoseconds);
  relu_of(cache, 4);
  EXPECT_EQ(cache.preparing().begin()->second.count, 2U);
}

// A library lays its work out for them.
TEST_F(KernelCacheTest, KernelsAreOfANumberOfThreads) {
  KernelCache cache;
  KernelPointer of_one;
  {
    const test::ProcessWidth one(1);
    of_one = relu_of(cache, 3);
  }
  const test::ProcessWidth three(3);
  const KernelPointer of_three = relu_of(cache, 3);
  EXPECT_NE(of_three, of_one);
  const test::ProcessWidth one_again(1);
  EXPECT_EQ(relu_of(cache, 3), of_one);
}

// The second device may be the first one, opened anew.
TEST_F(KernelCacheTest, ADeviceHasKernelsOfItsOwn) {
  const device::DeviceBackend& backend = device_at("toy:0").backend();
  device::Device first(backend, Place("toy:0"));
  device::Device second(backend, Place("toy:0"));
  KernelCache cache;
  const ArgumentType type{kFloat32, Shape{3}, LOCI_RESIDENCE_DEVICE};
  const OpDesc desc(ops::op_registry().get("relu"), {}, {{type}}, {{type}});
  const KernelPointer of_first = bind_kernel(first, desc, &cache).kernel;
  const KernelPointer of_second = bind_kernel(second, desc, &cache).kernel;
  EXPECT_NE(of_first, of_second);
  EXPECT_EQ(bind_kernel(first, desc, &cache).kernel, of_first);
  const std::uint64_t bytes = cache.bytes();
  cache.forget(first);
  EXPECT_EQ(cache.size(), 1U);
  EXPECT_EQ(cache.bytes(), bytes / 2);
  EXPECT_EQ(bind_kernel(second, desc, &cache).kernel, of_second);
}

TEST_F(KernelCacheTest, ALostDeviceIsGivenNone) {
  device::Device device(device_at("toy:0").backend(), Place("toy:0"));
  device.note_loss(Error(ErrorCode::kDeviceLost, "it fell off the bus"));
  KernelCache cache;
  const ArgumentType type{kFloat32, Shape{3}, LOCI_RESIDENCE_DEVICE};
  const OpDesc desc(ops::op_registry().get("relu"), {}, {{type}}, {{type}});
  EXPECT_THAT([&] { (void)bind_kernel(device, desc, &cache); },
              ::testing::ThrowsMessage<Error>(::testing::HasSubstr("toy:0 is lost")));
}

TEST_F(KernelCacheTest, StaysWithinItsLimit) {
  const std::uint64_t one = bytes_of_one();
  const std::int64_t before = live_objects();
  {
    KernelCache cache(10 * one);
    for (std::int64_t extent = 1000; extent < 6000; ++extent) {
      relu_of(cache, extent);
      ASSERT_LE(cache.bytes(), 10 * one);
    }
    EXPECT_EQ(cache.size(), 10U);
    EXPECT_EQ(live_objects(), before + 10);
  }
  EXPECT_EQ(live_objects(), before);
}

TEST_F(KernelCacheTest, TheLeastRecentlyAskedForGoesFirst) {
  KernelCache cache(3 * bytes_of_one());
  std::weak_ptr<const PreparedKernel> kernels[4];
  for (std::size_t i = 0; i < 3; ++i) kernels[i] = relu_of(cache, 1000 + static_cast<int>(i));
  relu_of(cache, 1000);
  kernels[3] = relu_of(cache, 1003);
  EXPECT_FALSE(kernels[0].expired());
  EXPECT_TRUE(kernels[1].expired());
  EXPECT_FALSE(kernels[2].expired());
  EXPECT_FALSE(kernels[3].expired());
}

TEST_F(KernelCacheTest, WhatIsInUseStays) {
  KernelCache cache(2 * bytes_of_one());
  const KernelPointer used = relu_of(cache, 1000);
  for (std::int64_t extent = 1001; extent < 1100; ++extent) relu_of(cache, extent);
  EXPECT_EQ(relu_of(cache, 1000), used);
  std::vector<KernelPointer> all;
  for (std::int64_t extent = 1000; extent < 1010; ++extent) all.push_back(relu_of(cache, extent));
  EXPECT_EQ(cache.size(), 10U) << "dropping them would free nothing";
  all.clear();
  relu_of(cache, 2000);
  EXPECT_EQ(cache.size(), 2U);
}

TEST_F(KernelCacheTest, AKernelBeyondTheLimitIsForItsUserAlone) {
  KernelCache cache(1);
  const KernelPointer kernel = relu_of(cache, 1000);
  EXPECT_NE(kernel, nullptr);
  relu_of(cache, 1001);
  EXPECT_EQ(relu_of(cache, 1000), kernel);
}

TEST_F(KernelCacheTest, ThreadsMayAskAtOnce) {
  KernelCache cache(20 * bytes_of_one());
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&cache, thread] {
      for (int i = 0; i < 2000; ++i) {
        const KernelPointer kernel = relu_of(cache, 1000 + i * (thread + 1) % 97);
        EXPECT_NE(kernel->handle(), nullptr);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(cache.size(), 24U);
}

}  // namespace
}  // namespace loci::dispatch
