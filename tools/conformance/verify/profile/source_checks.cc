#include "tools/conformance/verify/profile/source_checks.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <deque>
#include <map>
#include <thread>
#include <utility>

#include "tools/conformance/verify/bench.h"
#include "tools/conformance/verify/plain_kernel.h"
#include "tools/conformance/verify/profile/record_log.h"

namespace loci::verify {
namespace {

constexpr std::uint64_t kTracedBytes = 4096;
constexpr int kRounds = 3;
// A clock that has to be converted is never quite the host's.
constexpr std::uint64_t kClockErrorNs = 1'000'000;

// A source at work.
class Tracing {
 public:
  Tracing(Instance& instance, std::uint32_t flags)
      : instance_(instance), api_(instance.profile_source_api()) {
    call_checked("start of the profile source",
                 [&] { return api_.start(instance_.handle(), flags, &log_.sink()); });
  }
  ~Tracing() {
    try {
      stop();
    } catch (const std::exception&) {  // told by the checks that call stop() themselves
    }
  }
  Tracing(const Tracing&) = delete;
  Tracing& operator=(const Tracing&) = delete;

  void flush() {
    call_checked("flush of the profile source", [&] { return api_.flush(instance_.handle()); });
  }
  void stop() {
    if (std::exchange(stopped_, true)) return;
    call_checked("stop of the profile source", [&] { return api_.stop(instance_.handle()); });
    log_.close();
  }
  [[nodiscard]] const RecordLog& log() const { return log_; }

 private:
  Instance& instance_;
  const loci_profile_source_api& api_;
  RecordLog log_;
  bool stopped_ = false;
};

struct ExpectedWork {
  std::string what;
  std::uint32_t kind = LOCI_DEVICE_WORK_KERNEL;
  std::uint64_t bytes = 0;
};
// Holds the expected work by correlation id.
using Work = std::map<std::uint64_t, ExpectedWork>;

// Copies in each direction and, if the device has it, a fill, under ids from `id` on; waits for
// them.
Work copy_and_fill(OpenDevice& device, const Stream& stream, std::uint64_t id) {
  Work work;
  const Memory first(device, kTracedBytes);
  const Memory second(device, kTracedBytes);
  Bytes host = pattern_bytes(kTracedBytes, id);
  const auto add = [&](const char* what, std::uint32_t kind) {
    work[id] = {what, kind, kTracedBytes};
    return id++;
  };
  device.write(first.at(), host.data(), kTracedBytes, stream.get(),
               add("a copy to the device", LOCI_DEVICE_WORK_COPY));
  device.move(second.at(), first.at(), kTracedBytes, stream.get(),
              add("a copy on the device", LOCI_DEVICE_WORK_COPY));
  device.read(host.data(), second.at(), kTracedBytes, stream.get(),
              add("a copy to the host", LOCI_DEVICE_WORK_COPY));
  if (device.api().fill != nullptr) {
    device.fill(first.at(), kTracedBytes, 0, 1, stream.get(), add("a fill", LOCI_DEVICE_WORK_FILL));
  }
  device.wait(stream.get());
  return work;
}

// Some devices fill by a kernel, and some kernels only copy or fill.
bool fits(std::uint32_t kind, std::uint32_t expected) {
  switch (expected) {
    case LOCI_DEVICE_WORK_KERNEL: return kind <= LOCI_DEVICE_WORK_FILL;
    case LOCI_DEVICE_WORK_FILL: return kind == expected || kind == LOCI_DEVICE_WORK_KERNEL;
    default: return kind == expected;
  }
}

void expect_record(const loci_device_record& record, const ExpectedWork& expected) {
  if (!fits(record.kind, expected.kind)) {
    fail("{} is recorded as work of kind {}, and has to be {}", expected.what, record.kind,
         expected.kind);
  }
  if (expected.kind == LOCI_DEVICE_WORK_COPY && record.bytes != expected.bytes) {
    fail("{} of {} bytes is recorded with {}", expected.what, expected.bytes, record.bytes);
  }
}

// A record whose id the source does not know counts for nothing: then one is missing.
void expect_each_once(const std::vector<loci_device_record>& records, const Work& work) {
  std::map<std::uint64_t, int> counts;
  for (const loci_device_record& record : records) ++counts[record.correlation];
  for (const auto& [id, count] : counts) {
    if (id == 0 || work.count(id) > 0) continue;
    fail("there is a record under correlation id {}, under which nothing was done", id);
  }
  for (const auto& [id, expected] : work) {
    if (counts[id] == 1) continue;
    fail("{} under correlation id {} is recorded {} times, and has to be once behind a flush",
         expected.what, id, counts[id]);
  }
  for (const loci_device_record& record : records) {
    if (record.correlation != 0) expect_record(record, work.at(record.correlation));
  }
}

void expect_times(const std::vector<loci_device_record>& records, std::uint64_t before,
                  std::uint64_t after) {
  for (const loci_device_record& record : records) {
    if (record.end_ns < record.begin_ns) {
      fail("a record ends {} ns before it begins", record.begin_ns - record.end_ns);
    }
    if (record.begin_ns + kClockErrorNs < before || record.end_ns > after + kClockErrorNs) {
      fail("a record from {} to {} is of work that was done from {} to {} on the host's clock",
           record.begin_ns, record.end_ns, before, after);
    }
  }
}

std::uint64_t now_ns(Instance& instance) {
  const loci_host_api& host = instance.host().api();
  return host.now_ns(host.host);
}

void check_table(const Target& target) {
  Instance instance(target);
  const loci_profile_source_api& api = instance.profile_source_api();
  const auto& types = target.manifest.device_types;
  if (std::find(types.begin(), types.end(), view(api.device_type)) == types.end()) {
    fail(LOCI_PROFILE_SOURCE_INTERFACE
         " is for the device type '{}', which the manifest does not have",
         view(api.device_type));
  }
  if ((api.external_range_begin == nullptr) != (api.external_range_end == nullptr)) {
    fail(LOCI_PROFILE_SOURCE_INTERFACE " has one of external_range_begin and external_range_end");
  }
}

void check_work(const Target& target) {
  Instance instance(target);
  instance.profile_source_api();
  OpenDevice device(instance, target.index);
  device.require_memory();
  const Stream stream(device);
  const std::uint64_t before = now_ns(instance);
  Tracing tracing(instance, LOCI_PROFILE_DEVICE_WORK);
  const Work work = copy_and_fill(device, stream, 71);
  tracing.flush();
  expect_each_once(tracing.log().work(), work);
  tracing.stop();
  expect_times(tracing.log().work(), before, now_ns(instance));
  for (const loci_device_record& record : tracing.log().work()) {
    if (record.device != target.index) {
      fail("work of device {} is recorded for device {}", target.index, record.device);
    }
  }
  expect_each_once(tracing.log().work(), work);
  if (tracing.log().dropped() > 0) fail("{} records are dropped", tracing.log().dropped());
  if (!tracing.log().calls().empty()) fail("calls are recorded, for which nobody asked");
}

void check_launches(const Target& target) {
  Instance instance(target);
  instance.profile_source_api();
  OpenDevice device(instance, target.index);
  device.require_memory();
  const Stream stream(device);
  PlainKernel kernel(instance, device, stream);
  Tracing tracing(instance, LOCI_PROFILE_DEVICE_WORK);
  Work work;
  for (std::uint64_t id = 1001; id < 1011; ++id) {
    kernel.launch(id);
    work[id] = {"a launch", LOCI_DEVICE_WORK_KERNEL, 0};
  }
  device.wait(stream.get());
  tracing.flush();
  expect_each_once(tracing.log().work(), work);
}

void check_calls(const Target& target) {
  Instance instance(target);
  instance.profile_source_api();
  OpenDevice device(instance, target.index);
  device.require_memory();
  const Stream stream(device);
  const std::uint64_t before = now_ns(instance);
  Tracing tracing(instance, LOCI_PROFILE_DEVICE_WORK | LOCI_PROFILE_CALLS);
  const Work work = copy_and_fill(device, stream, 81);
  tracing.flush();
  tracing.stop();
  const auto calls = tracing.log().calls();
  if (calls.empty()) skip("it records no calls");
  const auto self = static_cast<std::uint64_t>(::syscall(SYS_gettid));
  for (const loci_call_record& call : calls) {
    if (call.end_ns < call.begin_ns) fail("a call ends before it begins");
    if (call.begin_ns + kClockErrorNs < before || call.end_ns > now_ns(instance) + kClockErrorNs) {
      fail("a call lies outside of the session on the host's clock");
    }
    if (call.os_thread != self) {
      fail("a call of thread {} is recorded for thread {}", self, call.os_thread);
    }
    if (call.correlation != 0 && work.count(call.correlation) == 0) {
      fail("a call has the correlation id {}, under which nothing was done", call.correlation);
    }
  }
}

// Again and again, with several flushes in each.
void check_cycles(const Target& target) {
  Instance instance(target);
  instance.profile_source_api();
  OpenDevice device(instance, target.index);
  device.require_memory();
  const Stream stream(device);
  for (std::uint64_t round = 0; round < kRounds; ++round) {
    Tracing tracing(instance, LOCI_PROFILE_DEVICE_WORK);
    tracing.flush();
    Work work = copy_and_fill(device, stream, 100 * round + 1);
    tracing.flush();
    tracing.flush();
    work.merge(copy_and_fill(device, stream, 100 * round + 51));
    tracing.flush();
    tracing.stop();
    expect_each_once(tracing.log().work(), work);
  }
  {
    Tracing nothing(instance, LOCI_PROFILE_DEVICE_WORK);
    nothing.stop();
    if (!nothing.log().work().empty()) fail("a session without work has records of an earlier one");
  }
}

// Neither during later work nor in a later flush, and not by a thread of its own.
void check_after_stop(const Target& target) {
  static constexpr std::chrono::milliseconds kWait{50};
  Instance instance(target);
  instance.profile_source_api();
  OpenDevice device(instance, target.index);
  device.require_memory();
  const Stream stream(device);
  Tracing tracing(instance, LOCI_PROFILE_DEVICE_WORK | LOCI_PROFILE_CALLS);
  copy_and_fill(device, stream, 1);
  tracing.stop();
  for (std::uint64_t i = 1; i < 20; ++i) copy_and_fill(device, stream, 1000 * i);
  std::this_thread::sleep_for(kWait);
  if (tracing.log().late() > 0) {
    fail("the sink was called {} times after stop had returned", tracing.log().late());
  }
}

void check_two_devices(const Target& target) {
  Instance instance(target);
  instance.profile_source_api();
  std::uint32_t count = 0;
  const loci_device_api& api = instance.device_api();
  call_checked("count", [&] { return api.count(instance.handle(), &count); });
  if (count < 2) skip("there is one device");
  std::deque<OpenDevice> devices;
  for (std::uint32_t index = 0; index < 2; ++index) {
    devices.emplace_back(instance, index).require_memory();
  }
  Tracing tracing(instance, LOCI_PROFILE_DEVICE_WORK);
  Work all;
  for (std::uint32_t index = 0; index < 2; ++index) {
    const Stream stream(devices[index]);
    all.merge(copy_and_fill(devices[index], stream, 1000 * (index + 1)));
  }
  tracing.flush();
  expect_each_once(tracing.log().work(), all);
  for (const loci_device_record& record : tracing.log().work()) {
    if (record.correlation != 0 && record.device != record.correlation / 1000 - 1) {
      fail("work of device {} is recorded for device {}", record.correlation / 1000 - 1,
           record.device);
    }
  }
}

void check_external_range(const Target& target) {
  Instance instance(target);
  const loci_profile_source_api& api = instance.profile_source_api();
  if (api.external_range_begin == nullptr) skip("its vendor has no profiler with ranges");
  OpenDevice device(instance, target.index);
  for (int i = 0; i < kRounds; ++i) {
    call_checked("external_range_begin",
                 [&] { return api.external_range_begin(instance.handle()); });
    call_checked("external_range_end", [&] { return api.external_range_end(instance.handle()); });
  }
}

void check_source_left_behind(const Target& target) {
  Instance instance(target);
  instance.profile_source_api();
  {
    OpenDevice device(instance, target.index);
    device.require_memory();
    const Stream stream(device);
    for (std::uint64_t round = 0; round < kRounds; ++round) {
      Tracing tracing(instance, LOCI_PROFILE_DEVICE_WORK | LOCI_PROFILE_CALLS);
      copy_and_fill(device, stream, 1);
    }
  }
  instance.destroy();
  expect_nothing_held(instance, "after profile sessions and destroy");
}

}  // namespace

std::vector<Check> source_checks(const Target& target) {
  return {
      on_target("profile/source_table", target, check_table),
      on_target("profile/source_work", target, check_work),
      on_target("profile/source_launches", target, check_launches),
      on_target("profile/source_calls", target, check_calls),
      on_target("profile/source_cycles", target, check_cycles),
      on_target("profile/source_after_stop", target, check_after_stop),
      on_target("profile/source_two_devices", target, check_two_devices),
      on_target("profile/source_external_range", target, check_external_range),
      on_target("profile/source_left_behind", target, check_source_left_behind),
  };
}

}  // namespace loci::verify
