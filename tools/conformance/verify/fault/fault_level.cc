#include "tools/conformance/verify/bench.h"
#include "tools/conformance/verify/call_leaks.h"
#include "tools/conformance/verify/fault/planted_faults.h"
#include "tools/conformance/verify/levels.h"
#include "tools/conformance/verify/refusal.h"

namespace loci::verify {
namespace {

void check_no_device(const Target& target) {
  Instance instance(target);
  instance.require_device(0);
  const loci_device_api& api = instance.device_api();
  for (const std::uint32_t index : {instance.device_count(), UINT32_MAX}) {
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

// Each allocation of the host table fails in turn.
void check_host_memory(const Target& target) {
  static constexpr std::int64_t kMost = 200;
  for (std::int64_t n = 1; n <= kMost; ++n) {
    Instance instance(target, {}, 0);
    instance.require_device(target.index);
    instance.host().fail_allocation(n);
    try {
      OpenDevice device(instance, target.index);
      use_memory(device);
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

}  // namespace

std::vector<Check> fault_level(const Target& target) {
  const auto bench = std::make_shared<Bench>(target);
  std::vector<Check> checks{
      on_target("fault/no_such_device", target, check_no_device),
      on_bench("fault/time_of_unrecorded_events", bench, check_elapsed),
      on_bench("fault/unknown_native_handle", bench, check_native_handle),
      on_target("fault/no_host_memory_in_create", target, check_host_memory_of_create),
      on_target("fault/no_host_memory", target, check_host_memory),
  };
  checks.push_back(leaks_of_refused_calls(target));
  for (Check& check : planted_faults(target)) checks.push_back(std::move(check));
  return checks;
}

}  // namespace loci::verify
