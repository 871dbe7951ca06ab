// Pageable host memory, copied through pinned memory of the plugin's own.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>

#include "driver.h"

namespace loci::cuda {

class Device;
class Stream;

// Rows in host memory: one row where it is flat.
struct HostRows {
  char* first;
  std::uint64_t row_bytes;
  std::uint64_t rows;
  std::uint64_t pitch;
};

// Two chunks of a stream: one is copied by the host while the other is copied by the device.
// Thread-safe: the stream that a host uses for what has none of its own is used by many threads.
class Staging {
 public:
  Staging(Device& device, Stream& stream);
  ~Staging();
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  // In stream order, between the rows and the same number of bytes in rows of the device's memory
  // at that pitch. When it returns, the source may be changed, and a target of the host has its
  // bytes; the caller has the context current.
  void write(const HostRows& source, CUdeviceptr target, std::uint64_t target_pitch);
  void read(const HostRows& target, CUdeviceptr source, std::uint64_t source_pitch);

 private:
  // A part of the rows that a chunk holds: whole rows, or a piece of one.
  struct Part {
    std::uint64_t row;
    std::uint64_t offset;  // in the row
    std::uint64_t bytes;   // of each row
    std::uint64_t rows;
  };
  struct Chunk {
    char* memory = nullptr;
    CUevent copied = nullptr;
    Part part{};  // that is being read from the device
    bool is_pending = false;
  };
  static constexpr std::uint64_t kChunkBytes = std::uint64_t{1} << 20;

  template <class Visit>
  static void for_each_part(const HostRows& host, Visit visit);
  Chunk& next();
  void wait(Chunk& chunk);
  void finish_read(Chunk& chunk, const HostRows& target);
  void copy(Chunk& chunk, const Part& part, CUdeviceptr device, std::uint64_t pitch, bool writes);
  void release();

  Device& device_;
  Stream& stream_;
  std::mutex mutex_;  // held as long as a copy has the chunks
  std::array<Chunk, 2> chunks_;
  std::size_t next_ = 0;
};

}  // namespace loci::cuda
