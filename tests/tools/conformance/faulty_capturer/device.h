// A queued device in host memory whose streams record graphs, right but for the plugin's fault.
#pragma once

#include <atomic>
#include <cstdint>
#include <loci/plugin/device.hpp>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string_view>

#include "stream.h"

namespace loci::faulty {

class FaultyCapturerPlugin;

class CapturingEvent {
 public:
  explicit CapturingEvent(CapturingDevice&) {}
  void record(CapturingStream* stream);
  bool query() { return latest().reached(); }
  void synchronize() { latest().wait(); }
  std::uint64_t ns_until(CapturingEvent& end);
  [[nodiscard]] Mark latest();

 private:
  std::mutex mutex_;
  Mark mark_;
};

class CapturingDevice {
 public:
  using Stream = CapturingStream;
  using Event = CapturingEvent;

  static sdk::Probe probe(FaultyCapturerPlugin&) { return {1}; }
  static std::uint32_t count(FaultyCapturerPlugin&) { return 1; }
  static void describe(FaultyCapturerPlugin& plugin, std::uint32_t index, loci_device_info& info);
  CapturingDevice(FaultyCapturerPlugin& plugin, const sdk::Host& host, std::uint32_t index);

  void* mem_alloc(std::uint32_t kind, std::uint64_t bytes, Stream* stream);
  void mem_free(std::uint32_t kind, void* pointer, Stream* stream);
  void mem_info(std::uint64_t& free_bytes, std::uint64_t& total_bytes) const;
  bool copy(const loci_copy& copy, Stream* stream);
  void fill(void* target, std::uint64_t bytes, const void* pattern, std::uint32_t pattern_bytes,
            Stream* stream, std::uint64_t correlation);
  void synchronize();
  // The device of "captures.device", and the stream of "captures.stream".
  void* native_handle(Stream* stream, std::string_view name);

  void add(Stream& stream);
  void remove(Stream& stream);
  // One that records; NULL if none does.
  [[nodiscard]] Stream* recorder();
  [[nodiscard]] Source& source() { return source_; }
  void take(std::uint64_t bytes) { used_ += bytes; }
  // Returns the queue of all streams; null where each has its own.
  [[nodiscard]] std::shared_ptr<TaskQueue> one_queue() const { return one_queue_; }

 private:
  Source& source_;
  std::atomic<std::uint64_t> used_{0};
  std::mutex mutex_;
  std::map<void*, std::uint64_t> sizes_;
  std::set<Stream*> streams_;
  std::shared_ptr<TaskQueue> one_queue_;  // its tasks use the members above
};

}  // namespace loci::faulty
