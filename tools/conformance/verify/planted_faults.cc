#include "tools/conformance/verify/planted_faults.h"

#include <memory>

#include "tools/conformance/verify/bench.h"
#include "tools/conformance/verify/heap_growth.h"
#include "tools/conformance/verify/plain_kernel.h"
#include "tools/conformance/verify/process_state.h"

namespace loci::verify {
namespace {

constexpr std::uint64_t kFaultBytes = 4096;
// Seen in mem_info, which may count in large pieces.
constexpr std::uint64_t kBulkBytes = std::uint64_t{8} << 20;
constexpr std::uint64_t kFaultCorrelation = 4711;

// A device whose plugin was asked by a setting to let the first call or task of a kind fail.
struct Faulty {
  Faulty(const Target& target, const char* option)
      : instance(make(target, option)), device(*instance, target.index) {
    device.require_streams();
  }

  static std::unique_ptr<Instance> make(const Target& target, const char* option) {
    try {
      return std::make_unique<Instance>(target, std::map<std::string, std::string>{{option, "1"}});
    } catch (const PluginError& error) {
      skip("it does not take the setting {}: {}", option, error.what());
    }
  }

  std::unique_ptr<Instance> instance;
  OpenDevice device;
};

// Who takes a setting does not take that for a number of calls.
bool takes_setting(const Target& target, const char* option) {
  try {
    const Instance instance(target, {{option, "no-number"}});
  } catch (const PluginError&) {
    return true;
  }
  return false;
}

// The check's end where nothing has failed.
[[noreturn]] void judge_no_error(const Target& target, const char* option, const char* what) {
  if (takes_setting(target, option)) {
    fail("the plugin takes the setting {}, and with it set to 1 {} is no error", option, what);
  }
  skip("the plugin takes no setting {}: nothing fails", option);
}

// True if it is refused.
template <class Call>
bool is_refused(Call&& call) {
  try {
    call();
  } catch (const PluginError&) {
    return true;
  }
  return false;
}

void fail_once(OpenDevice& device, const Target& target) {
  try {
    device.free(device.allocate(kBulkBytes));
  } catch (const PluginError& error) {
    if (error.code() == LOCI_CODE_OUT_OF_MEMORY) return;
    fail("a failed mem_alloc is {} instead of OUT_OF_MEMORY", code_name(error.code()));
  }
  judge_no_error(target, "fail_alloc", "the first mem_alloc");
}

// A copy to the device and one back; the first is to fail.
void copy_once(OpenDevice& device, const Target& target) {
  const Stream stream(device);
  const Memory memory(device, kBulkBytes);
  const Bytes bytes = pattern_bytes(kBulkBytes, 1);
  if (is_refused([&] { device.put(memory.at(), bytes, stream.get()); })) return;
  if (device.get(memory.at(), kBulkBytes, stream.get()) != bytes) {
    fail("with the setting fail_copy a copy does not arrive, and no error tells of it");
  }
  judge_no_error(target, "fail_copy", "the first copy");
}

// What a failure leaves behind in the device that goes on: memory of it and of the host table.
void expect_no_memory_lost(OpenDevice& device, std::uint64_t before, const char* what) {
  if (device.api().mem_info == nullptr) return;
  const std::uint64_t after = device.free_memory();
  if (after + kBulkBytes / 2 >= before) return;
  fail("{} of {} bytes fails, and mem_info has {} bytes less behind it", what, kBulkBytes,
       before - after);
}

using Failing = void (*)(OpenDevice& device, const Target& target);

struct Subject {
  const char* option;
  const char* what;
  Failing provoke;
};

void live_with(const Target& target, const Subject& subject) {
  Faulty faulty(target, subject.option);
  const bool counts = faulty.device.api().mem_info != nullptr;
  const std::uint64_t before = counts ? faulty.device.free_memory() : 0;
  subject.provoke(faulty.device, target);
  expect_no_memory_lost(faulty.device, before, subject.what);
  use_memory(faulty.device);
}

// The same life again and again: a call that fails, and what it leaves behind at the end.
void check_failing(const Target& target, const Subject& subject) {
  const auto live = [&] { live_with(target, subject); };
  live();
  const ProcessState before = ProcessState::now();
  {
    Faulty faulty(target, subject.option);
    subject.provoke(faulty.device, target);
    faulty.device.close();
    faulty.instance->destroy();
    expect_nothing_held(*faulty.instance,
                        fmt::format("where {} fails, after destroy", subject.what).c_str());
  }
  const std::size_t bytes = heap_growth(live);
  if (bytes > 0) {
    fail("each life in which {} fails leaves memory of the C heap behind, {} bytes in {} lives",
         subject.what, bytes, kHeapRounds);
  }
  const std::string left = ProcessState::wait_for(before);
  if (!left.empty()) fail("where {} fails, there are {} more", subject.what, left);
}

void check_failed_allocation(const Target& target) {
  check_failing(target, {"fail_alloc", "mem_alloc", fail_once});
}

void check_failed_copy(const Target& target) {
  check_failing(target, {"fail_copy", "a copy", copy_once});
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
  const std::size_t bytes = heap_growth(ask);
  const Holdings last = instance.host().holdings();
  if (last.allocations > first.allocations) {
    fail("mem_alloc of more than there is leaves {} allocations of the host table behind",
         last.allocations - first.allocations);
  }
  if (bytes > 0) {
    fail("each mem_alloc of more than there is leaves memory of the C heap behind, {} bytes in {}",
         bytes, kHeapRounds);
  }
}

void check_failed_launch(const Target& target) {
  static constexpr const char* kOption = "fail_launch";
  Faulty faulty(target, kOption);
  const Stream stream(faulty.device);
  PlainKernel kernel(*faulty.instance, faulty.device, stream);
  const auto launch = [&] {
    kernel.launch(kFaultCorrelation);
    faulty.device.wait(stream.get());
  };
  if (!is_refused(launch)) judge_no_error(target, kOption, "the first launch");
  launch();
}

void check_failed_record(const Target& target) {
  static constexpr const char* kOption = "fail_event";
  Faulty faulty(target, kOption);
  const Stream stream(faulty.device);
  Event event(faulty.device);
  if (!is_refused([&] { event.record(stream); })) {
    judge_no_error(target, kOption, "the first event_record");
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
  Faulty faulty(target, kOption);
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
    judge_no_error(target, kOption, "the first piece of enqueued work");
  }
  if (told != 0 && told != kFaultCorrelation) {
    fail("the work under correlation id {} failed, and take_async_error names {}",
         kFaultCorrelation, told);
  }
  device.check_async();
  use_memory(device);
}

// What a call returns once the device is lost.
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
  Faulty faulty(target, kOption);
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
  if (!fails) judge_no_error(target, kOption, "whatever is called behind the first work");
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
      on_target("fault/lost_device", target, check_lost_device),
  };
}

}  // namespace loci::verify
