// Which devices there are, what they are and how much memory they have.
#pragma once

#include <cstdint>
#include <loci/export.hpp>
#include <loci/place.hpp>
#include <string>
#include <vector>

namespace loci {
inline namespace v0 {

// All functions load the plugins that declare the device types they are asked for, at the first
// call that needs them: plugins::configure() comes before. They may be called from any thread.

// The description that a device gives of itself. Texts are empty and numbers 0 where it knows none.
struct DeviceProperties {
  Place place;       // with its index, "gpu" replaced by the type of the device
  std::string name;  // "NVIDIA H200"
  std::string arch;  // "sm_90", "avx512_core_amx"
  std::string uuid;
  std::string driver;              // version of the driver or library behind it
  std::string plugin;              // id of the plugin that brings it
  std::uint64_t total_memory = 0;  // bytes
  std::uint64_t free_memory = 0;   // bytes free now
  std::uint32_t compute_units = 0;
  std::uint32_t operators = 0;  // types of operators that have a kernel there
  bool is_accelerator = false;  // a candidate for the place "gpu"
  bool uses_host_memory = false;
  bool is_queued = false;  // work is enqueued into streams; else it is done when a launch returns
  // The range of priorities of streams, see stream.hpp; both are 0 where there are none.
  int least_priority = 0;
  int greatest_priority = 0;
};

// Every device of every type, by type and index. Opens none. Throws Error if a plugin cannot count
// its devices.
LOCI_PUBLIC std::vector<Place> devices();
// How many devices of that type there are, 0 if no plugin brings it; "gpu" counts those of the type
// that "gpu" stands for. Throws Error if the plugin cannot count them.
LOCI_PUBLIC int device_count(const std::string& type);
// Returns true if an executor could be made for that place, and false for a device that is lost;
// opens no device. The error of device_properties() says why it could not.
LOCI_PUBLIC bool is_available(const Place& place);
// Opens the device. Throws Error(kUnavailable) if there is none, with the devices that there are in
// the message and the reason of each plugin in the details.
LOCI_PUBLIC DeviceProperties device_properties(const Place& place);

// A device is lost for the current context when its plugin says so (it fell off the bus, a kernel
// took its context along), or when its work takes longer than LOCI_SYNC_TIMEOUT seconds. From then
// on whatever uses it, or reads memory there, throws Error(kDeviceLost); tensors that lie there are
// released as any other. While there is such a limit, a copy from or to the host waits for the work
// before it in its stream, and counts among those that the host has waited for.
//
// By what it was lost, in one line; empty of a device that is not, or was never opened. Throws
// Error(kUnavailable) for "gpu" without an accelerator.
LOCI_PUBLIC std::string device_loss(const Place& place);
// Takes a lost device into use again: the plugin opens it anew, beside the one that is lost, whose
// memory goes back and which a later reopening closes once nothing refers to it, else the end of
// the context, unless its work hangs. What lay in its memory is lost for good: tensors, variables
// of scopes, executors, streams and events of before stay refused; make them anew. A DeviceGuard
// that is in force means the new one. Does nothing if the device is not lost. Throws the Error that
// the plugin gives, and leaves it lost, while it cannot open it.
LOCI_PUBLIC void reopen_device(const Place& place);

// Bytes that the current context holds in the memory of a place; devices that use host memory share
// one account with "cpu".
struct MemoryUse {
  std::uint64_t in_use = 0;  // live tensors and buffers, as rounded up by the allocator
  std::uint64_t cached = 0;  // held, free for reuse
  std::uint64_t peak_in_use = 0;
};
// Throws as device_properties() does; "cpu" needs no plugin.
LOCI_PUBLIC MemoryUse memory_use(const Place& place);

// Gives what is cached (MemoryUse::cached) at a place back to its device, or to the system; without
// a place what is cached at all that are open, the host included. Waits for the devices. Memory of
// captured graphs is GraphPool's. Throws Error as memory_use() does, and kInvalidArgument while a
// graph is captured there whose mode forbids that (CaptureMode).
LOCI_PUBLIC void empty_cache(const Place& place);
LOCI_PUBLIC void empty_cache();

}  // namespace v0
}  // namespace loci
