#include "tools/conformance/verify/bench.h"
#include "tools/conformance/verify/levels.h"

namespace loci::verify {
namespace {

constexpr std::uint64_t kFaultBytes = 4096;
constexpr loci_code kAnyCode = 0;

// The error of a call that has to be refused: with a code and a text, and with `code` if one is
// given.
template <class Call>
std::string expect_refusal(const std::string& what, loci_code code, Call&& call) {
  try {
    call();
  } catch (const PluginError& error) {
    if (code_name(error.code()).rfind("code ", 0) == 0) {
      fail("{} is refused with the unknown code {}", what, error.code());
    }
    if (code != kAnyCode && error.code() != code) {
      fail("{} is refused with {}, and has to be with {}: {}", what, code_name(error.code()),
           code_name(code), error.what());
    }
    // call_checked() puts "<function> failed with <code>: " before it.
    const std::string text = error.what();
    if (text.size() < 2 || text.compare(text.size() - 2, 2, ": ") == 0) {
      fail("{} is refused without a text; say what was wrong, with the values", what);
    }
    return text;
  }
  fail("{} has to be refused, and is not", what);
}

std::uint32_t count_of(Instance& instance) {
  std::uint32_t count = 0;
  const loci_device_api& api = instance.device_api();
  call_checked("count", [&] { return api.count(instance.handle(), &count); });
  return count;
}

void check_no_device(const Target& target) {
  Instance instance(target);
  instance.require_device(0);
  const loci_device_api& api = instance.device_api();
  for (const std::uint32_t index : {count_of(instance), UINT32_MAX}) {
    loci_device* device = nullptr;
    expect_refusal(fmt::format("opening device {}", index), LOCI_CODE_NOT_FOUND, [&] {
      call_checked("open", [&] { return api.open(instance.handle(), index, &device); });
    });
    loci_device_info info{};
    info.struct_size = sizeof info;
    expect_refusal(fmt::format("describing device {}", index), LOCI_CODE_NOT_FOUND, [&] {
      call_checked("describe", [&] { return api.describe(instance.handle(), index, &info); });
    });
  }
  instance.destroy();
  if (instance.host().holdings().errors > 0) fail("errors are made that nobody gets or releases");
}

void check_elapsed(OpenDevice& device) {
  device.require_streams();
  if (device.api().event_elapsed_ns == nullptr) skip("the device measures no time");
  const Event start(device, LOCI_EVENT_TIMED);
  const Event end(device, LOCI_EVENT_TIMED);
  std::uint64_t ns = 0;
  expect_refusal("the time between events that were never recorded", kAnyCode, [&] {
    call_checked("event_elapsed_ns",
                 [&] { return device.api().event_elapsed_ns(start.get(), end.get(), &ns); });
  });
}

// An unknown name is no error: the backend has no such object.
void check_native_handle(OpenDevice& device) {
  if (device.api().native_handle == nullptr) skip("the device gives no native handles");
  void* handle = &device;
  call_checked("native_handle", [&] {
    return device.api().native_handle(device.handle(), nullptr, to_abi("vendor.unknown"), &handle);
  });
  if (handle != nullptr) fail("native_handle gave {} for an unknown name; NULL says none", handle);
}

void use(OpenDevice& device) {
  if ((device.info().flags & LOCI_DEVICE_HOST_MEMORY) != 0) return;
  const Stream stream(device);
  const Memory memory(device, kFaultBytes);
  const Bytes bytes = pattern_bytes(kFaultBytes, 1);
  device.put(memory.at(), bytes, stream.get());
  expect_bytes(device.get(memory.at(), kFaultBytes, stream.get()), bytes, "memory");
}

// Each allocation of the host table fails in turn.
void check_host_memory(const Target& target) {
  static constexpr std::int64_t kMost = 200;
  for (std::int64_t n = 1; n <= kMost; ++n) {
    Instance instance(target, {}, 0);
    instance.require_device(target.index);
    instance.host().fail_allocation(n);
    try {
      OpenDevice device(instance, target.index);
      use(device);
    } catch (const PluginError& error) {
      if (error.code() != LOCI_CODE_OUT_OF_MEMORY) {
        fail("allocation {} of the host table fails, and this is {} instead of OUT_OF_MEMORY: {}",
             n, code_name(error.code()), error.what());
      }
    }
    const bool done = instance.host().failure_pending();
    instance.destroy();
    const Holdings held = instance.host().holdings();
    if (held.allocations > 0) {
      fail("where allocation {} of the host table fails, {} others are never given back", n,
           held.allocations);
    }
    if (done && n == 1) skip("it takes no memory of the host table");
    if (done) return;
  }
}

void check_host_memory_of_create(const Target& target) {
  static constexpr std::int64_t kMost = 200;
  for (std::int64_t n = 1; n <= kMost; ++n) {
    try {
      Instance instance(target, {}, n);
      const bool done = instance.host().failure_pending();
      if (done && n == 1) skip("it takes no memory of the host table");
      if (done) return;
    } catch (const PluginError& error) {
      if (error.code() == LOCI_CODE_OUT_OF_MEMORY) continue;
      fail("allocation {} of the host table fails, and this is {} instead of OUT_OF_MEMORY: {}", n,
           code_name(error.code()), error.what());
    }
  }
}

// A device of a plugin that offers faults: the configuration key makes its first call or task of a
// kind fail.
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
  [[noreturn]] static void skip_without(const char* option) {
    skip("the setting {} makes nothing fail: the plugin offers no such fault", option);
  }

  std::unique_ptr<Instance> instance;
  OpenDevice device;
};

void check_failed_allocation(const Target& target) {
  static constexpr const char* kOption = "fail_alloc";
  Faulty faulty(target, kOption);
  try {
    faulty.device.free(faulty.device.allocate(kFaultBytes));
  } catch (const PluginError& error) {
    if (error.code() != LOCI_CODE_OUT_OF_MEMORY) {
      fail("a failed mem_alloc is {} instead of OUT_OF_MEMORY", code_name(error.code()));
    }
    return use(faulty.device);
  }
  Faulty::skip_without(kOption);
}

void check_failed_copy(const Target& target) {
  static constexpr const char* kOption = "fail_copy";
  Faulty faulty(target, kOption);
  try {
    use(faulty.device);
  } catch (const PluginError&) {
    return use(faulty.device);
  }
  Faulty::skip_without(kOption);
}

void check_failed_record(const Target& target) {
  static constexpr const char* kOption = "fail_event";
  Faulty faulty(target, kOption);
  const Stream stream(faulty.device);
  Event event(faulty.device);
  try {
    event.record(stream);
  } catch (const PluginError&) {
    event.record(stream);
    return event.synchronize();
  }
  Faulty::skip_without(kOption);
}

// Told once, by take_async_error; the event behind it is done, and the device goes on.
void check_failed_work(const Target& target) {
  static constexpr const char* kOption = "fail_task";
  Faulty faulty(target, kOption);
  OpenDevice& device = faulty.device;
  const Stream stream(device);
  Event event(device);
  const Memory memory(device, kFaultBytes);
  device.fill(memory.at(), kFaultBytes, 1, 1, stream.get());
  event.record(stream);
  event.synchronize();
  if (!event.is_done()) fail("an event behind failed work has to be done");
  call_checked("stream_synchronize", [&] { return device.api().stream_synchronize(stream.get()); });
  try {
    device.check_async();
  } catch (const PluginError&) {
    device.check_async();
    return use(device);
  }
  Faulty::skip_without(kOption);
}

// Whatever is called then fails, and returns.
void check_lost_device(const Target& target) {
  static constexpr const char* kOption = "lose_device";
  Faulty faulty(target, kOption);
  OpenDevice& device = faulty.device;
  const Stream stream(device);
  Event event(device);
  const auto attempt = [](auto call) {
    try {
      call();
    } catch (const PluginError&) {
      return false;
    }
    return true;
  };
  const Memory memory(device, kFaultBytes);
  attempt([&] { device.fill(memory.at(), kFaultBytes, 1, 1, stream.get()); });
  attempt([&] { device.wait(stream.get()); });
  bool works = attempt([&] { device.put(memory.at(), Bytes(kFaultBytes), stream.get()); });
  works = attempt([&] { device.wait(stream.get()); }) && works;
  attempt([&] { event.record(stream); });
  attempt([&] { event.synchronize(); });
  attempt([&] { device.wait(nullptr); });
  if (works) Faulty::skip_without(kOption);
}

}  // namespace

std::vector<Check> fault_level(const Target& target) {
  const auto bench = std::make_shared<Bench>(target);
  return {
      on_target("fault/no_such_device", target, check_no_device),
      on_bench("fault/time_of_unrecorded_events", bench, check_elapsed),
      on_bench("fault/unknown_native_handle", bench, check_native_handle),
      on_target("fault/no_host_memory_in_create", target, check_host_memory_of_create),
      on_target("fault/no_host_memory", target, check_host_memory),
      on_target("fault/failed_allocation", target, check_failed_allocation),
      on_target("fault/failed_copy", target, check_failed_copy),
      on_target("fault/failed_record", target, check_failed_record),
      on_target("fault/failed_work", target, check_failed_work),
      on_target("fault/lost_device", target, check_lost_device),
  };
}

}  // namespace loci::verify
