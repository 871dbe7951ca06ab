#include "tools/conformance/verify/fault/planted_faults.h"

#include <memory>

#include "tools/conformance/verify/bench.h"
#include "tools/conformance/verify/fault/failing_lives.h"
#include "tools/conformance/verify/fault/faulty_device.h"
#include "tools/conformance/verify/fault/free_memory.h"
#include "tools/conformance/verify/heap_growth.h"
#include "tools/conformance/verify/plain_kernel.h"

namespace loci::verify {
namespace {

constexpr std::uint64_t kFaultBytes = 4096;
// Seen in mem_info, which may count in large pieces.
constexpr std::uint64_t kBulkBytes = std::uint64_t{8} << 20;
constexpr std::uint64_t kFaultCorrelation = 4711;

// True if a mem_alloc fails, and as it has to.
bool refuses_memory(OpenDevice& device) {
  try {
    device.free(device.allocate(kBulkBytes));
  } catch (const PluginError& error) {
    if (error.code() == LOCI_CODE_OUT_OF_MEMORY) return true;
    fail("a failed mem_alloc is {} instead of OUT_OF_MEMORY", code_name(error.code()));
  }
  return false;
}

// Makes two copies, to the device and back; true if one of them fails.
bool refuses_copies(OpenDevice& device) {
  const Stream stream(device);
  const Memory memory(device, kBulkBytes);
  const Bytes bytes = pattern_bytes(kBulkBytes, 1);
  Bytes got;
  const auto copy = [&] {
    device.put(memory.at(), bytes, stream.get());
    got = device.get(memory.at(), kBulkBytes, stream.get());
  };
  if (is_refused(copy)) return true;
  if (got != bytes) fail("a copy does not arrive, and no error tells of it");
  return false;
}

bool refuses_fill(OpenDevice& device) {
  const Stream stream(device);
  const Memory memory(device, kFaultBytes);
  return is_refused([&] {
    device.fill(memory.at(), kFaultBytes, 0xA7, 1, stream.get(), kFaultCorrelation);
    device.wait(stream.get());
  });
}

// Attempts of each kind.

Attempt allocate_attempts(FaultyDevice& faulty) {
  return [&faulty] { return refuses_memory(faulty.device); };
}
Attempt copy_attempts(FaultyDevice& faulty) {
  return [&faulty] { return refuses_copies(faulty.device); };
}
Attempt fill_attempts(FaultyDevice& faulty) {
  return [&faulty] { return refuses_fill(faulty.device); };
}

// A launch needs these members, which are made in their order.
struct Launching {
  explicit Launching(FaultyDevice& faulty)
      : device(faulty.device), stream(device), kernel(*faulty.instance, device, stream) {}

  OpenDevice& device;
  Stream stream;
  PlainKernel kernel;
};

Attempt launch_attempts(FaultyDevice& faulty) {
  return [made = std::make_shared<Launching>(faulty)] {
    return is_refused([&] {
      made->kernel.launch(kFaultCorrelation);
      made->device.wait(made->stream.get());
    });
  };
}

void check_failed_allocation(const Target& target) {
  static constexpr const char* kOption = "fail_alloc";
  {
    FaultyDevice faulty(target, kOption, 1);
    if (!refuses_memory(faulty.device)) judge_no_error(target, kOption, 1, "the first mem_alloc");
  }
  check_failing_lives(target, {kOption, "mem_alloc", allocate_attempts});
}

void check_failed_copy(const Target& target) {
  static constexpr const char* kOption = "fail_copy";
  {
    FaultyDevice faulty(target, kOption, 1);
    if (!refuses_copies(faulty.device)) judge_no_error(target, kOption, 1, "the first copy");
  }
  check_failing_lives(target, {kOption, "a copy", copy_attempts});
}

// Work that is enqueued and fails as it runs.
void check_failing_copies(const Target& target) {
  check_failing_lives(target, {"fail_task", "a copy, as it runs,", copy_attempts});
}
void check_failing_fills(const Target& target) {
  check_failing_lives(target, {"fail_task", "a fill, as it runs,", fill_attempts});
}
void check_failing_kernels(const Target& target) {
  check_failing_lives(target, {"fail_task", "a kernel, as it runs,", launch_attempts});
}

// Memory that no device has, which needs no setting.
void check_impossible_allocation(const Target& target) {
  Instance instance(target);
  OpenDevice device(instance, target.index);
  device.require_memory();
  const std::uint64_t total = device.info().total_memory;
  if (total == 0) skip("the device does not say how much memory it has");
  const auto ask = [&] {
    if (!is_refused([&] { device.free(device.allocate(2 * total)); })) {
      skip("see mem/out_of_memory");
    }
  };
  ask();
  const Holdings first = instance.host().holdings();
  FreeMemory memory;
  const std::size_t bytes = heap_growth([&] {
    const std::uint64_t before = free_memory_of(device);
    ask();
    memory.note(before, free_memory_of(device));
  });
  const Holdings last = instance.host().holdings();
  if (last.allocations > first.allocations) {
    fail("mem_alloc of more than there is leaves {} allocations of the host table behind",
         last.allocations - first.allocations);
  }
  if (bytes > 0) {
    fail("each mem_alloc of more than there is leaves memory of the C heap behind, {} bytes in {}",
         bytes, kHeapRounds);
  }
  if (memory.lost() > 0) {
    fail(
        "mem_alloc of more than there is leaves memory of the device behind: mem_info has {} bytes "
        "less after {} of them",
        memory.lost(), memory.times());
  }
}

void check_failed_launch(const Target& target) {
  static constexpr const char* kOption = "fail_launch";
  FaultyDevice faulty(target, kOption, 1);
  const Stream stream(faulty.device);
  PlainKernel kernel(*faulty.instance, faulty.device, stream);
  const auto launch = [&] {
    kernel.launch(kFaultCorrelation);
    faulty.device.wait(stream.get());
  };
  if (!is_refused(launch)) judge_no_error(target, kOption, 1, "the first launch");
  launch();
  check_failing_lives(target, {kOption, "a launch", launch_attempts});
}

void check_failed_record(const Target& target) {
  static constexpr const char* kOption = "fail_event";
  FaultyDevice faulty(target, kOption, 1);
  const Stream stream(faulty.device);
  Event event(faulty.device);
  if (!is_refused([&] { event.record(stream); })) {
    judge_no_error(target, kOption, 1, "the first event_record");
  }
  event.record(stream);
  event.synchronize();
}

// The correlation id of the error that comes: 0 where the device cannot tell.
std::uint64_t failed_correlation(OpenDevice& device) {
  std::uint64_t correlation = 0;
  try {
    call_checked("take_async_error",
                 [&] { return device.api().take_async_error(device.handle(), &correlation); });
  } catch (const PluginError&) {
    return correlation;
  }
  return UINT64_MAX;
}

// Told once, by take_async_error; the event behind it is done, and the device goes on.
void check_failed_work(const Target& target) {
  static constexpr const char* kOption = "fail_task";
  FaultyDevice faulty(target, kOption, 1);
  OpenDevice& device = faulty.device;
  const Stream stream(device);
  Event event(device);
  const Memory memory(device, kFaultBytes);
  device.fill(memory.at(), kFaultBytes, 0xA7, 1, stream.get(), kFaultCorrelation);
  event.record(stream);
  event.synchronize();
  if (!event.is_done()) fail("an event behind failed work has to be done");
  call_checked("stream_synchronize", [&] { return device.api().stream_synchronize(stream.get()); });
  const std::uint64_t told =
      device.api().take_async_error == nullptr ? UINT64_MAX : failed_correlation(device);
  if (told == UINT64_MAX) {
    if (device.get(memory.at(), kFaultBytes, stream.get()) != Bytes(kFaultBytes, 0xA7)) {
      fail("with the setting fail_task a fill is not done, and take_async_error tells of no error");
    }
    judge_no_error(target, kOption, 1, "the first piece of enqueued work");
  }
  if (told != 0 && told != kFaultCorrelation) {
    fail("the work under correlation id {} failed, and take_async_error names {}",
         kFaultCorrelation, told);
  }
  device.check_async();
  use_memory(device);
}

// Every call has to return LOCI_CODE_DEVICE_LOST once the device is lost.
template <class Call>
void expect_lost(const char* function, const Call& call) {
  try {
    call();
  } catch (const PluginError& error) {
    if (error.code() == LOCI_CODE_DEVICE_LOST) return;
    fail("once the device is lost, {} fails with {}; it has to be LOCI_CODE_DEVICE_LOST", function,
         error.what());
  }
  fail("once the device is lost, {} succeeds; it has to return LOCI_CODE_DEVICE_LOST", function);
}

// Every function says the same, again and again. One that tells of a loss at once has told before.
void check_stays_lost(OpenDevice& device, const Stream& stream, Event& event,
                      const Memory& memory) {
  for (int i = 0; i < 2; ++i) {
    expect_lost("stream_synchronize", [&] { device.wait(stream.get()); });
    expect_lost("fill", [&] { device.fill(memory.at(), kFaultBytes, 1, 1, stream.get()); });
    expect_lost("copy", [&] { device.put(memory.at(), Bytes(kFaultBytes), stream.get()); });
    expect_lost("event_record", [&] { event.record(stream); });
    expect_lost("mem_alloc", [&] { const Memory more(device, kFaultBytes); });
    if (device.api().take_async_error == nullptr) continue;
    if (i == 0) (void)failed_correlation(device);  // of the work that took it along
    expect_lost("take_async_error", [&] { device.check_async(); });
  }
}

// Whatever is called then fails, and returns.
void check_lost_device(const Target& target) {
  static constexpr const char* kOption = "lose_device";
  FaultyDevice faulty(target, kOption, 1);
  OpenDevice& device = faulty.device;
  const Stream stream(device);
  Event event(device);
  const Memory memory(device, kFaultBytes);
  is_refused([&] { device.fill(memory.at(), kFaultBytes, 1, 1, stream.get()); });
  is_refused([&] { device.wait(stream.get()); });
  bool fails = is_refused([&] { device.put(memory.at(), Bytes(kFaultBytes), stream.get()); });
  fails = is_refused([&] { device.wait(stream.get()); }) || fails;
  is_refused([&] { event.record(stream); });
  is_refused([&] { event.synchronize(); });
  is_refused([&] { device.wait(nullptr); });
  if (!fails) judge_no_error(target, kOption, 1, "whatever is called behind the first work");
  check_stays_lost(device, stream, event, memory);
}

}  // namespace

void use_memory(OpenDevice& device) {
  if ((device.info().flags & LOCI_DEVICE_HOST_MEMORY) != 0) return;
  const Stream stream(device);
  const Memory memory(device, kFaultBytes);
  const Bytes bytes = pattern_bytes(kFaultBytes, 1);
  device.put(memory.at(), bytes, stream.get());
  expect_bytes(device.get(memory.at(), kFaultBytes, stream.get()), bytes, "memory");
}

std::vector<Check> planted_faults(const Target& target) {
  return {
      on_target("fault/impossible_allocation", target, check_impossible_allocation),
      on_target("fault/failed_allocation", target, check_failed_allocation),
      on_target("fault/failed_copy", target, check_failed_copy),
      on_target("fault/failed_launch", target, check_failed_launch),
      on_target("fault/failed_record", target, check_failed_record),
      on_target("fault/failed_work", target, check_failed_work),
      on_target("fault/left_by_failed_copies", target, check_failing_copies),
      on_target("fault/left_by_failed_fills", target, check_failing_fills),
      on_target("fault/left_by_failed_kernels", target, check_failing_kernels),
      on_target("fault/lost_device", target, check_lost_device),
  };
}

}  // namespace loci::verify
