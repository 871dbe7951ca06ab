// The device of examples/plugin_opencl through the C tables: memory by address where there are only
// handles, copies, streams, events, errors.
#include <CL/cl.h>
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <loci/error.hpp>
#include <loci/executor.hpp>
#include <loci/ops.hpp>
#include <numeric>
#include <thread>
#include <vector>

#include "framework/core/abi/error.h"
#include "framework/device/device_manager.h"
#include "framework/device/stream.h"

namespace {

// How the next command ends for who asks, instead of CL_COMPLETE.
std::atomic<cl_int> next_end{CL_COMPLETE};

}  // namespace

// The plugin finds this function before that of the OpenCL loader: PoCL 3.1 ends the process where
// work fails, so that a failure has to be made up.
extern "C" __attribute__((visibility("default"))) cl_int clGetEventInfo(
    cl_event event, cl_event_info what, std::size_t bytes, void* value, std::size_t* out_bytes) {
  static const auto real =
      reinterpret_cast<decltype(&clGetEventInfo)>(dlsym(RTLD_NEXT, "clGetEventInfo"));
  const cl_int status = real(event, what, bytes, value, out_bytes);
  if (status == CL_SUCCESS && what == CL_EVENT_COMMAND_EXECUTION_STATUS) {
    auto* progress = static_cast<cl_int*>(value);
    if (*progress == CL_COMPLETE) *progress = next_end.exchange(CL_COMPLETE);
  }
  return status;
}

namespace loci::device {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class OpenClDeviceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (DeviceManager::instance().count("opencl") == 0) {
      GTEST_SKIP() << "no OpenCL device, or the plugin is not built";
    }
    device_ = &DeviceManager::instance().get("opencl:0");
    memory_ = static_cast<char*>(device_->allocate(kBytes, stream()));
  }
  void TearDown() override {
    if (memory_ != nullptr) device_->deallocate(memory_, stream());
  }

  [[nodiscard]] loci_stream* stream() const { return device_->default_stream(); }

  // True if the host waited.
  bool write(void* target, const void* source, std::uint64_t bytes) {
    return device_->copy(LOCI_END_HOST, source, LOCI_END_DEVICE, target, bytes, stream(), 0);
  }
  bool read(const void* source, void* target, std::uint64_t bytes) {
    return device_->copy(LOCI_END_DEVICE, source, LOCI_END_HOST, target, bytes, stream(), 0);
  }
  void fill(void* target, std::uint64_t bytes, std::uint64_t pattern, std::uint32_t size,
            std::uint64_t correlation = 0) {
    device_->check(device_->api().fill(device_->handle(), target, bytes, &pattern, size, stream(),
                                       correlation),
                   "filling");
  }
  std::vector<int> bytes_at(const char* source, std::size_t count) {
    std::vector<signed char> bytes(count);
    read(source, bytes.data(), count);
    return {bytes.begin(), bytes.end()};
  }
  void copy_rows(const loci_copy& copy) {
    std::uint32_t blocked = 0;
    device_->check(device_->api().copy(device_->handle(), &copy, stream(), &blocked), "copying");
  }
  // Holds up the stream until it is told that it is complete.
  cl_event make_gate() {
    cl_int status = CL_SUCCESS;
    cl_event gate = clCreateUserEvent(native<cl_context>("opencl.context"), &status);
    EXPECT_EQ(status, CL_SUCCESS);
    EXPECT_EQ(
        clEnqueueBarrierWithWaitList(native<cl_command_queue>("opencl.queue"), 1, &gate, nullptr),
        CL_SUCCESS);
    return gate;
  }
  template <class T>
  T native(std::string_view name) {
    void* handle = nullptr;
    device_->check(device_->api().native_handle(device_->handle(), stream(),
                                                {name.data(), name.size()}, &handle),
                   "asking for a handle");
    return static_cast<T>(handle);
  }

  static constexpr std::uint64_t kBytes = 4096;
  Device* device_ = nullptr;
  char* memory_ = nullptr;
};

TEST_F(OpenClDeviceTest, AddressesAreForeign) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  EXPECT_EQ(::write(ends[1], memory_, 1), -1);
  EXPECT_EQ(errno, EFAULT);
  close(ends[0]);
  close(ends[1]);
}

TEST_F(OpenClDeviceTest, AddressesWithinAnAllocationLeadToIt) {
  fill(memory_, kBytes, 0, 1);
  write(memory_ + 100, "loci", 4);
  EXPECT_THAT(bytes_at(memory_ + 99, 6), ElementsAre(0, 'l', 'o', 'c', 'i', 0));
}

TEST_F(OpenClDeviceTest, AddressesOutsideAreRefused) {
  char byte = 0;
  EXPECT_THAT([&] { read(memory_ + kBytes, &byte, 1); },
              ThrowsMessage<Error>(AllOf(HasSubstr("opencl:0"), HasSubstr("in no allocation"))));
  EXPECT_THAT([&] { read(&byte, &byte, 1); }, ThrowsMessage<Error>(HasSubstr("in no allocation")));
}

TEST_F(OpenClDeviceTest, FillsWithPatternsOfAllSizes) {
  for (const std::uint32_t size : {1U, 2U, 4U, 8U}) {
    fill(memory_, 64, 0, 1);
    fill(memory_ + 8, 16, 0x0807060504030201, size);
    std::vector<int> expected(32, 0);
    for (std::uint32_t i = 0; i < 16; ++i) expected[8 + i] = static_cast<int>(i % size + 1);
    EXPECT_EQ(bytes_at(memory_, 32), expected) << size;
  }
}

TEST_F(OpenClDeviceTest, CopiesRowsBothWaysAndWithinOneAllocation) {
  std::vector<char> host(60);
  std::iota(host.begin(), host.end(), 0);
  fill(memory_, kBytes, 0xff, 1);
  loci_copy copy{.struct_size = sizeof(loci_copy)};
  copy.row_bytes = 3;
  copy.rows = 4;
  copy.target_end = LOCI_END_DEVICE;
  copy.source = host.data() + 5;
  copy.source_pitch = 10;
  copy.target = memory_ + 7;
  copy.target_pitch = 4;
  copy_rows(copy);
  EXPECT_THAT(bytes_at(memory_ + 6, 17),
              ElementsAre(-1, 5, 6, 7, -1, 15, 16, 17, -1, 25, 26, 27, -1, 35, 36, 37, -1));

  copy.source_end = LOCI_END_DEVICE;
  copy.source = memory_ + 7;
  copy.source_pitch = 4;
  copy.target = memory_ + 512;
  copy.target_pitch = 3;
  copy_rows(copy);
  EXPECT_THAT(bytes_at(memory_ + 512, 13),
              ElementsAre(5, 6, 7, 15, 16, 17, 25, 26, 27, 35, 36, 37, -1));

  std::vector<char> back(40, 0);
  copy.target_end = LOCI_END_HOST;
  copy.source = memory_ + 512;
  copy.source_pitch = 3;
  copy.target = back.data();
  copy.target_pitch = 11;
  copy_rows(copy);
  EXPECT_EQ(back[11], 15);
  EXPECT_EQ(back[35], 37);
  EXPECT_EQ(back[14], 0);
}

TEST_F(OpenClDeviceTest, WaitsOnlyForMemoryThatIsNotPinned) {
  std::vector<char> host(kBytes, 3);
  EXPECT_TRUE(write(memory_, host.data(), kBytes));
  const loci_device_api& api = device_->api();
  device_->check(api.host_register(device_->handle(), host.data(), kBytes), "registering");
  EXPECT_FALSE(write(memory_, host.data() + 1, kBytes - 1));
  EXPECT_TRUE(write(memory_, host.data() + 1, kBytes));  // one byte beyond
  device_->synchronize_stream(stream());
  device_->check(api.host_unregister(device_->handle(), host.data()), "unregistering");
  EXPECT_TRUE(read(memory_, host.data(), kBytes));

  void* pinned = nullptr;
  device_->check(api.mem_alloc(device_->handle(), LOCI_MEMORY_PINNED, kBytes, nullptr, &pinned),
                 "pinning");
  std::memset(pinned, 7, kBytes);
  EXPECT_FALSE(write(memory_, pinned, kBytes));
  std::memset(host.data(), 0, kBytes);
  read(memory_, host.data(), kBytes);
  EXPECT_THAT(host, Each(7));
  device_->check(api.mem_free(device_->handle(), LOCI_MEMORY_PINNED, pinned, stream()), "freeing");
}

TEST_F(OpenClDeviceTest, StreamIsDoneWhenItsWorkIs) {
  cl_event gate = make_gate();
  fill(memory_, 8, 1, 1);
  std::uint32_t done = 1;
  device_->check(device_->api().stream_query(stream(), &done), "querying");
  EXPECT_EQ(done, 0U);
  Event event(*device_);
  EXPECT_TRUE(event.done());
  event.record(stream());
  EXPECT_FALSE(event.done());
  clSetUserEventStatus(gate, CL_COMPLETE);
  event.synchronize();
  EXPECT_TRUE(event.done());
  device_->synchronize_stream(stream());
  device_->check(device_->api().stream_query(stream(), &done), "querying");
  EXPECT_EQ(done, 1U);
  clReleaseEvent(gate);
}

TEST_F(OpenClDeviceTest, AnotherStreamWaitsForTheRecordThatWasLatest) {
  Stream other(*device_);
  Event event(*device_);
  fill(memory_, 8, 1, 1);
  device_->synchronize();
  cl_event gate = make_gate();
  fill(memory_, 8, 2, 1);
  event.record(stream());
  event.wait_on(other.handle());
  device_->copy(LOCI_END_DEVICE, memory_, LOCI_END_DEVICE, memory_ + 8, 8, other.handle(), 0);
  EXPECT_FALSE(other.done());
  clSetUserEventStatus(gate, CL_COMPLETE);
  cl_event later = make_gate();
  event.record(stream());  // does not change what the other stream waits for
  other.synchronize();
  EXPECT_FALSE(event.done());
  clSetUserEventStatus(later, CL_COMPLETE);
  device_->synchronize();
  EXPECT_THAT(bytes_at(memory_ + 8, 8), Each(2));
  clReleaseEvent(gate);
  clReleaseEvent(later);
}

TEST_F(OpenClDeviceTest, TellsTheTimeBetweenEvents) {
  const loci_device_api& api = device_->api();
  std::array<loci_event*, 2> events{};
  for (loci_event*& event : events) {
    device_->check(api.event_create(device_->handle(), LOCI_EVENT_TIMED, &event), "creating");
  }
  std::uint64_t ns = 0;
  EXPECT_THAT([&] { device_->check(api.event_elapsed_ns(events[0], events[1], &ns), "timing"); },
              ThrowsMessage<Error>(HasSubstr("has not been reached")));
  device_->check(api.event_record(events[0], stream()), "recording");
  for (int i = 0; i < 100; ++i) fill(memory_, kBytes, 1, 1);
  device_->check(api.event_record(events[1], stream()), "recording");
  device_->synchronize();
  device_->check(api.event_elapsed_ns(events[0], events[1], &ns), "timing");
  EXPECT_GT(ns, 0U);
  EXPECT_LT(ns, 60'000'000'000U);
  for (loci_event* event : events) api.event_destroy(event);
}

TEST_F(OpenClDeviceTest, OutOfMemoryIsAnErrorOfThatCode) {
  const std::uint64_t free = device_->free_memory();
  try {
    (void)device_->allocate(device_->info().total_memory * 2, stream());
    FAIL() << "more memory than there is";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kOutOfMemory);
    EXPECT_THAT(error.what(), AllOf(HasSubstr("opencl:0"), HasSubstr("do not fit")));
  }
  EXPECT_EQ(device_->free_memory(), free);
}

TEST_F(OpenClDeviceTest, CopiesBetweenDevicesAreLeftToTheHost) {
  try {
    device_->copy(LOCI_END_PEER, memory_, LOCI_END_DEVICE, memory_, 1, stream(), 0, &*device_);
    FAIL() << "a copy between devices";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUnsupported);
  }
}

// ctest has PoCL show two.
TEST_F(OpenClDeviceTest, SecondDeviceHasItsOwnMemoryAndWaitsForEventsOfTheFirst) {
  if (DeviceManager::instance().count("opencl") < 2) GTEST_SKIP() << "one OpenCL device only";
  Device& second = DeviceManager::instance().get("opencl:1");
  char byte = 0;
  EXPECT_THAT(
      [&] {
        second.copy(LOCI_END_DEVICE, memory_, LOCI_END_HOST, &byte, 1, second.default_stream(), 0);
      },
      ThrowsMessage<Error>(AllOf(HasSubstr("opencl:1"), HasSubstr("in no allocation"))));

  fill(memory_, 8, 5, 1);
  Event event(*device_);
  event.record(stream());
  event.wait_on(second.default_stream());
  EXPECT_TRUE(event.done());

  const Tensor there = Tensor::from<float>({1, 2, 3}, {3}).to("opencl:0").to("opencl:1");
  EXPECT_EQ(there.place(), Place("opencl:1"));
  EXPECT_THAT(there.to("cpu").to_vector<float>(), ElementsAre(1, 2, 3));
}

TEST_F(OpenClDeviceTest, FailedWorkIsToldOnceWithItsLaunch) {
  device_->synchronize();
  next_end = CL_OUT_OF_RESOURCES;
  fill(memory_, 8, 1, 1, /*correlation=*/77);
  EXPECT_THAT([&] { device_->synchronize_stream(stream()); },
              ThrowsMessage<Error>(
                  AllOf(HasSubstr("fill (launch 77)"), HasSubstr("CL_OUT_OF_RESOURCES (-5)"))));
  device_->synchronize_stream(stream());
}

TEST_F(OpenClDeviceTest, SeveralThreadsLaunchOnePreparedKernel) {
  const Program main_program;
  const ProgramGuard building(main_program);
  const Variable x = data("x", {1000}, kFloat32);
  const Variable y = elementwise_add(relu(x), x);
  Executor executor("opencl:0");
  const auto run = [&](float value) {
    const Tensor fed = Tensor::from<float>(std::vector<float>(1000, value), {1000});
    for (int i = 0; i < 50; ++i) {
      const auto fetched = executor.run(main_program, {{"x", fed}}, {y});
      EXPECT_THAT(fetched[0].to_vector<float>(), Each(2 * value));
    }
  };
  std::vector<std::thread> threads;
  for (const float value : {1.0F, 2.0F, 3.0F, 4.0F}) threads.emplace_back(run, value);
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace loci::device
