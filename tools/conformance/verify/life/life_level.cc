#include <cstdlib>
#include <deque>

#include "tools/conformance/verify/bench.h"
#include "tools/conformance/verify/call_leaks.h"
#include "tools/conformance/verify/heap_growth.h"
#include "tools/conformance/verify/levels.h"
#include "tools/conformance/verify/process/forked_child.h"
#include "tools/conformance/verify/process_state.h"

namespace loci::verify {
namespace {

constexpr std::uint64_t kLivingBytes = 4096;

// Streams and events, and memory with work on it.
void use_device(OpenDevice& device) {
  if ((device.info().flags & LOCI_DEVICE_HOST_MEMORY) != 0) return;
  const Stream stream(device);
  const Memory memory(device, kLivingBytes);
  device.put(memory.at(), pattern_bytes(kLivingBytes, 1), stream.get());
  void* streamed = device.allocate(kLivingBytes, stream.get());
  device.move(streamed, memory.at(), kLivingBytes, stream.get());
  device.free(streamed, stream.get());
  if (!device.has_streams()) return device.wait(stream.get());
  Event event(device);
  event.record(stream);
  event.synchronize();
  device.wait(stream.get());
}

// A whole life: every device opened and used.
void live(const Target& target) {
  Instance instance(target);
  instance.require_device(0);
  const std::uint32_t count = instance.device_count();
  for (std::uint32_t index = 0; index < count; ++index) {
    OpenDevice device(instance, index);
    use_device(device);
  }
  instance.destroy();
  expect_nothing_held(instance, "after destroy");
}

void check_create_twice(const Target& target) {
  for (int i = 0; i < 2; ++i) {
    Instance instance(target);
    instance.destroy();
    expect_nothing_held(instance, "after create and destroy");
  }
}

void check_open_twice(const Target& target) {
  Instance instance(target);
  instance.require_device(0);
  const std::uint32_t count = instance.device_count();
  for (std::uint32_t index = 0; index < count; ++index) {
    for (int i = 0; i < 2; ++i) {
      OpenDevice device(instance, index);
      use_device(device);
    }
  }
  const std::uint32_t after = instance.device_count();
  if (after != count) {
    fail(
        "count gave {} before each device was opened twice, and {} afterwards; it says how many "
        "there are, open or not",
        count, after);
  }
}

// All devices that there are can be open at the same time.
void check_open_together(const Target& target) {
  Instance instance(target);
  instance.require_device(0);
  std::deque<OpenDevice> devices;
  const std::uint32_t count = instance.device_count();
  for (std::uint32_t index = 0; index < count; ++index) devices.emplace_back(instance, index);
  for (OpenDevice& device : devices) use_device(device);
}

void check_left_behind(const Target& target) {
  adopt_orphans();
  const ProcessState untouched = ProcessState::now();
  live(target);
  // Drivers keep threads and files that they make at first; a process is nobody's when its plugin
  // is destroyed.
  ProcessState before = ProcessState::now();
  before.children = untouched.children;
  for (int i = 0; i < 3; ++i) live(target);
  const std::string left = ProcessState::wait_for(before);
  if (!left.empty()) fail("after lives from create to destroy there are {} more", left);
}

// A leak grows in each life; what caches and drivers keep does not.
void check_heap(const Target& target) {
  if (heap_bytes() == 0) skip("this process's allocator does not count");
  {
    Instance instance(target);
    instance.require_device(target.index);
    const OpenDevice device(instance, target.index);
    if (view(device.info().name).find("(emulated)") != std::string_view::npos) {
      skip("the device is emulated in this process, whose heap it shares");
    }
  }
  const std::size_t bytes = heap_growth([&] { live(target); });
  if (bytes == 0) return;
  fail("each life from create to destroy leaves memory of the C heap behind, {} bytes in {} lives",
       bytes, kHeapRounds);
}

void check_device_memory(OpenDevice& device) {
  static constexpr std::uint64_t kPiece = std::uint64_t{1} << 20;
  static constexpr int kPieces = 64;
  device.require_memory();
  const Stream stream(device);
  device.free(device.allocate(kPiece, stream.get()), stream.get());
  device.wait(stream.get());
  const std::uint64_t before = device.free_memory();
  for (int i = 0; i < kPieces; ++i) {
    device.free(device.allocate(kPiece, stream.get()), stream.get());
    device.wait(stream.get());
  }
  const std::uint64_t after = device.free_memory();
  if (after + kPieces / 2 * kPiece < before) {
    fail("{} times {} bytes were allocated and freed, and mem_info has {} bytes less", kPieces,
         kPiece, before - after);
  }
}

void check_streams(OpenDevice& device) {
  static constexpr int kRounds = 50;
  device.require_streams();
  const ProcessState before = ProcessState::now();
  for (int i = 0; i < kRounds; ++i) {
    Stream stream(device);
    Event event(device);
    event.record(stream);
    stream.wait(event.get());
  }
  device.wait(nullptr);
  const ProcessState after = ProcessState::now();
  // A pool may keep some.
  if (after.threads > before.threads + kRounds / 2 ||
      after.descriptors > before.descriptors + kRounds / 2) {
    fail("{} streams and events were created and destroyed, and {} is left", kRounds,
         ProcessState::wait_for(before));
  }
}

// An unused event and an unused stream too.
void check_unused(OpenDevice& device) {
  device.require_streams();
  const Stream stream(device);
  const Event event(device);
}

// Destructors of the library run when the process ends.
void check_exit(const Target& target) {
  ForkedChild child([&target] {
    try {
      live(target);
    } catch (const std::exception&) {  // what is wrong with its life, other checks tell
    }
    std::exit(EXIT_SUCCESS);
  });
  note_call("the library's destructors, at the end of the process");
  const ProcessEnd end = child.wait();
  if (!end.signal.empty()) fail("a process that used it and ends dies of SIG{}", end.signal);
  if (end.exit_code != EXIT_SUCCESS) {
    fail("a process that used it ends with exit code {} instead of 0", end.exit_code);
  }
}

}  // namespace

std::vector<Check> life_level(const Target& target) {
  const auto bench = std::make_shared<Bench>(target);
  return {
      on_target("life/end_of_process", target, check_exit),
      on_target("life/create_twice", target, check_create_twice),
      on_target("life/open_twice", target, check_open_twice),
      on_target("life/open_together", target, check_open_together),
      on_target("life/left_behind", target, check_left_behind),
      on_target("life/heap", target, check_heap),
      leaks_of_calls(target),
      on_bench("life/device_memory", bench, check_device_memory),
      on_bench("life/streams_and_events", bench, check_streams),
      on_bench("life/unused_objects", bench, check_unused),
  };
}

}  // namespace loci::verify
