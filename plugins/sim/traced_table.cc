#include "plugins/sim/traced_table.h"

#include <loci/plugin/device.hpp>

#include "plugins/sim/device.h"
#include "plugins/sim/plugin.h"
#include "plugins/sim/profile_source.h"

namespace loci::sim {
namespace {

const loci_device_api& plain() { return *sdk::device_table<SimPlugin, SimDevice>(); }

// Returns the number that joins a call to the work that it enqueues.
template <class... Arguments>
std::uint64_t correlation_of(const Arguments&...) {
  return 0;
}
template <class... Rest>
std::uint64_t correlation_of(loci_device*, const loci_copy* copy, const Rest&...) {
  return copy->correlation;
}

std::uint64_t correlation_of(loci_stream*, loci_host_fn, void*, std::uint64_t correlation) {
  return correlation;
}

// Returns the source of the plugin's instance that a handle belongs to.
ProfileSource& source_of(loci_device* device) {
  return sdk::device_of<SimDevice>(device).machine().profile;
}
ProfileSource& source_of(loci_stream* stream) {
  return sdk::stream_of<SimDevice>(stream)->device().machine().profile;
}
ProfileSource& source_of(loci_event* event) {
  return sdk::event_of<SimDevice>(event).device().machine().profile;
}

// Calls the plain table's function of that member, and times it.
template <auto Member, const char* Name>
struct Traced;
template <class Result, class Handle, class... Arguments,
          Result (*loci_device_api::*Member)(Handle, Arguments...), const char* Name>
struct Traced<Member, Name> {
  static Result call(Handle handle, Arguments... arguments) noexcept {
    const CallTimer timer(source_of(handle), Name, correlation_of(handle, arguments...));
    return (plain().*Member)(handle, arguments...);
  }
};

loci_error* traced_fill(loci_device* device, void* target, std::uint64_t bytes, const void* pattern,
                        std::uint32_t pattern_bytes, loci_stream* stream,
                        std::uint64_t correlation) noexcept {
  const CallTimer timer(source_of(device), "fill", correlation);
  return plain().fill(device, target, bytes, pattern, pattern_bytes, stream, correlation);
}

constexpr char kMemAlloc[] = "mem_alloc";
constexpr char kMemFree[] = "mem_free";
constexpr char kMemInfo[] = "mem_info";
constexpr char kHostRegister[] = "host_register";
constexpr char kHostUnregister[] = "host_unregister";
constexpr char kCopy[] = "copy";
constexpr char kStreamCreate[] = "stream_create";
constexpr char kStreamDestroy[] = "stream_destroy";
constexpr char kStreamQuery[] = "stream_query";
constexpr char kStreamSynchronize[] = "stream_synchronize";
constexpr char kStreamWaitEvent[] = "stream_wait_event";
constexpr char kLaunchHost[] = "launch_host";
constexpr char kEventCreate[] = "event_create";
constexpr char kEventDestroy[] = "event_destroy";
constexpr char kEventRecord[] = "event_record";
constexpr char kEventQuery[] = "event_query";
constexpr char kEventSynchronize[] = "event_synchronize";
constexpr char kEventElapsed[] = "event_elapsed_ns";
constexpr char kSynchronize[] = "synchronize";

template <auto Member, const char* Name>
void trace(loci_device_api& table) {
  if (table.*Member != nullptr) table.*Member = &Traced<Member, Name>::call;
}

// Discovery happens before anybody profiles; take_async_error follows every wait and says nothing.
loci_device_api make_device_table() {
  using Api = loci_device_api;
  Api table = plain();
  trace<&Api::mem_alloc, kMemAlloc>(table);
  trace<&Api::mem_free, kMemFree>(table);
  trace<&Api::mem_info, kMemInfo>(table);
  trace<&Api::host_register, kHostRegister>(table);
  trace<&Api::host_unregister, kHostUnregister>(table);
  trace<&Api::copy, kCopy>(table);
  table.fill = &traced_fill;
  trace<&Api::stream_create, kStreamCreate>(table);
  trace<&Api::stream_destroy, kStreamDestroy>(table);
  trace<&Api::stream_query, kStreamQuery>(table);
  trace<&Api::stream_synchronize, kStreamSynchronize>(table);
  trace<&Api::stream_wait_event, kStreamWaitEvent>(table);
  trace<&Api::launch_host, kLaunchHost>(table);
  trace<&Api::event_create, kEventCreate>(table);
  trace<&Api::event_destroy, kEventDestroy>(table);
  trace<&Api::event_record, kEventRecord>(table);
  trace<&Api::event_query, kEventQuery>(table);
  trace<&Api::event_synchronize, kEventSynchronize>(table);
  trace<&Api::event_elapsed_ns, kEventElapsed>(table);
  trace<&Api::synchronize, kSynchronize>(table);
  return table;
}

}  // namespace

const loci_device_api* traced_device_table() {
  static const loci_device_api kTable = make_device_table();
  return &kTable;
}

}  // namespace loci::sim
