// A device of the plugin under test, open, with its memory, streams and events as objects that give
// back what they hold. Every function throws PluginError or CheckFailed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "tools/conformance/verify/subject.h"

namespace loci::verify {

using Bytes = std::vector<std::uint8_t>;

class OpenDevice {
 public:
  // Skips the check if there is no such device.
  OpenDevice(Instance& instance, std::uint32_t index);
  ~OpenDevice();
  OpenDevice(const OpenDevice&) = delete;
  OpenDevice& operator=(const OpenDevice&) = delete;

  // Does the destructor's work, once.
  void close();

  [[nodiscard]] const loci_device_api& api() const { return api_; }
  [[nodiscard]] loci_device* handle() const { return handle_; }
  [[nodiscard]] const loci_host_api& host() const { return host_; }
  [[nodiscard]] const loci_device_info& info() const { return info_; }
  [[nodiscard]] bool has_streams() const { return api_.stream_create != nullptr; }
  // Skip the check for a device that lets the host allocate, or has no streams.
  void require_memory() const;
  void require_streams() const;
  // Skips the check for a device that states fewer allocations at a time.
  void require_allocations(std::uint64_t count) const;
  // `count`, or as many as there may be beside `others`.
  [[nodiscard]] std::uint64_t as_many(std::uint64_t count, std::uint64_t others = 0) const;
  // True if all streams of the device are one queue.
  [[nodiscard]] bool has_one_queue() const { return (info_.flags & LOCI_DEVICE_ONE_QUEUE) != 0; }

  // `bytes`, rounded up to what the device deals in.
  void* allocate(std::uint64_t bytes, loci_stream* stream = nullptr,
                 std::uint32_t kind = LOCI_MEMORY_DEVICE);
  void free(void* pointer, loci_stream* stream = nullptr, std::uint32_t kind = LOCI_MEMORY_DEVICE);
  [[nodiscard]] std::uint64_t rounded(std::uint64_t bytes) const;
  [[nodiscard]] std::uint64_t free_memory() const;

  // True if the host waited.
  bool copy(const loci_copy& copy, loci_stream* stream);
  bool write(void* target, const void* source, std::uint64_t bytes, loci_stream* stream,
             std::uint64_t correlation = 0);
  bool read(void* target, const void* source, std::uint64_t bytes, loci_stream* stream,
            std::uint64_t correlation = 0);
  bool move(void* target, const void* source, std::uint64_t bytes, loci_stream* stream,
            std::uint64_t correlation = 0);
  void fill(void* target, std::uint64_t bytes, std::uint64_t pattern, std::uint32_t pattern_bytes,
            loci_stream* stream, std::uint64_t correlation = 0);
  // Writes or reads and waits.
  void put(void* target, const Bytes& bytes, loci_stream* stream);
  Bytes get(const void* source, std::uint64_t bytes, loci_stream* stream);

  // Waits for the stream, if there is one, or the device, and throws an error of enqueued work.
  void wait(loci_stream* stream);
  void check_async();
  [[nodiscard]] bool is_done(loci_stream* stream) const;

 private:
  const loci_device_api& api_;
  const loci_host_api& host_;
  loci_device* handle_ = nullptr;
  loci_device_info info_{};
};

// Device memory, freed without a stream: when no work uses it any more.
class Memory {
 public:
  Memory(OpenDevice& device, std::uint64_t bytes, std::uint32_t kind = LOCI_MEMORY_DEVICE);
  ~Memory();
  Memory(Memory&& other) noexcept;
  Memory& operator=(Memory&&) = delete;

  [[nodiscard]] std::uint8_t* at(std::uint64_t offset = 0) const { return pointer_ + offset; }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  // Leaves it to the caller to free.
  std::uint8_t* release() { return std::exchange(pointer_, nullptr); }

 private:
  OpenDevice* device_;
  std::uint32_t kind_;
  std::uint64_t bytes_;
  std::uint8_t* pointer_;
};

// NULL where the device has no streams.
class Stream {
 public:
  explicit Stream(OpenDevice& device, std::int32_t priority = 0);
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  [[nodiscard]] loci_stream* get() const { return handle_; }
  void wait(loci_event* event);

 private:
  OpenDevice& device_;
  loci_stream* handle_ = nullptr;
};

class Event {
 public:
  explicit Event(OpenDevice& device, std::uint32_t flags = 0);
  ~Event() { destroy(); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  [[nodiscard]] loci_event* get() const { return handle_; }
  void record(const Stream& stream);
  [[nodiscard]] bool is_done() const;
  void synchronize();
  void destroy();

 private:
  OpenDevice& device_;
  loci_event* handle_ = nullptr;
};

// Fails the check unless they are equal, naming the first byte that is not.
void expect_bytes(const Bytes& got, const Bytes& want, const std::string& what);
// Bytes that differ from their neighbours and between seeds.
Bytes pattern_bytes(std::uint64_t count, std::uint64_t seed);

}  // namespace loci::verify
