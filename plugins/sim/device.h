// One software accelerator: queued, with memory that the host cannot touch.
#pragma once

#include <chrono>
#include <cstdint>
#include <loci/plugin/device.hpp>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/sim/device_memory.h"
#include "plugins/sim/event.h"
#include "plugins/sim/failures.h"
#include "plugins/sim/handles.h"
#include "plugins/sim/machine.h"
#include "plugins/sim/priority_gate.h"
#include "plugins/sim/stream.h"

namespace loci::sim {

// The priorities of streams; the lower number is the greater one.
inline constexpr std::int32_t kLeastPriority = 0;
inline constexpr std::int32_t kGreatestPriority = -2;

// See loci/plugin/device.hpp for the functions that the table is made of.
class SimDevice {
 public:
  using Stream = sim::Stream;
  using Event = sim::Event;

  static sdk::Probe probe(Machine&) { return {1}; }
  static std::uint32_t count(Machine& machine) { return machine.settings.devices; }
  static void describe(Machine& machine, std::uint32_t index, loci_device_info& info);

  // Throws Error(LOCI_CODE_NOT_FOUND) for an index that is not below the setting devices.
  SimDevice(Machine& machine, const sdk::Host& host, std::uint32_t index);
  // Logs damaged red zones and allocations that were not freed.
  ~SimDevice();
  SimDevice(const SimDevice&) = delete;
  SimDevice& operator=(const SimDevice&) = delete;

  void* mem_alloc(std::uint32_t kind, std::uint64_t bytes, Stream* stream);
  void mem_free(std::uint32_t kind, void* pointer, Stream* stream);
  void mem_info(std::uint64_t& free_bytes, std::uint64_t& total_bytes) const;
  void host_register(void* pointer, std::uint64_t bytes);
  void host_unregister(void* pointer);
  bool copy(const loci_copy& copy, Stream* stream);
  void fill(void* target, std::uint64_t bytes, const void* pattern, std::uint32_t pattern_bytes,
            Stream* stream, std::uint64_t correlation);
  void synchronize();
  void check_async(std::uint64_t& correlation) { failures_.rethrow(correlation); }
  // See handles.h; NULL for another name.
  void* native_handle(Stream* stream, std::string_view name);

  // For its streams, events and kernels.
  [[nodiscard]] Machine& machine() const { return machine_; }
  [[nodiscard]] Failures& failures() { return failures_; }
  [[nodiscard]] Counters& counters() { return counters_; }
  [[nodiscard]] const DeviceMemory& memory() const { return memory_; }
  [[nodiscard]] PriorityGate& gate() { return gate_; }
  [[nodiscard]] std::chrono::nanoseconds longest_delay() const;
  // A seed and a number for each stream.
  [[nodiscard]] std::uint64_t next_seed();
  [[nodiscard]] Lane next_lane();
  void add(Stream& stream);
  void remove(Stream& stream);
  // Throws Error(LOCI_CODE_INVALID_ARGUMENT) if `stream` is NULL.
  [[nodiscard]] Stream& required(Stream* stream, const char* function) const;

 private:
  // One end of a copy: where the work finds it, and the access that the race checker is told of.
  struct End {
    std::byte* data = nullptr;
    Access access{};
    bool blocks = false;  // memory of the host that is not pinned
  };
  [[nodiscard]] End end_of(std::uint32_t kind, const void* pointer, std::uint64_t bytes,
                           bool writes, loci_device* peer) const;
  void* allocate_waiting(std::uint64_t bytes);
  void drain();  // waits for all work
  template <class Finish>
  void free_behind(const void* pointer, std::uint64_t bytes, Stream* stream, Finish finish);

  Machine& machine_;
  const sdk::Host& host_;
  const std::uint32_t index_;
  const std::string place_;
  Failures failures_;
  Counters counters_;
  DeviceMemory memory_;
  PriorityGate gate_;
  std::mutex streams_mutex_;
  std::set<Stream*> streams_;
  std::uint64_t stream_count_ = 0;
  std::uint32_t lane_count_ = 0;
};

}  // namespace loci::sim
