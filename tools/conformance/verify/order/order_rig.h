// The checks of order work on this rig: three streams of a device, of which the first can be kept
// busy, and memory of known content.
#pragma once

#include <cstdint>
#include <string>

#include "tools/conformance/verify/busy_work.h"
#include "tools/conformance/verify/open_device.h"

namespace loci::verify {

constexpr std::uint64_t kOrderedBytes = 4096;
constexpr std::uint64_t kOld = 0x1111111111111111;
constexpr std::uint64_t kNew = 0x2222222222222222;

// The bytes of memory that is filled with a pattern of equal bytes.
inline Bytes filled(std::uint64_t pattern, std::uint64_t bytes = kOrderedBytes) {
  return Bytes(bytes, static_cast<std::uint8_t>(pattern));
}

// A rig, and what its checks add at most, have so many allocations.
constexpr std::uint64_t kRigAllocations = 10;

struct Rig {
  // Skips the check where nothing stays queued.
  explicit Rig(OpenDevice& opened);
  // Whatever of the plugin does not wait, nothing shall use the memory any more.
  ~Rig();
  Rig(const Rig&) = delete;
  Rig& operator=(const Rig&) = delete;

  void put(const Memory& memory, std::uint64_t pattern);
  void keep_busy() { busy.enqueue(first.get()); }
  // Puts a pattern into x behind long work.
  void fill_late(std::uint64_t pattern);
  void fill(const Memory& memory, std::uint64_t pattern, const Stream& stream);
  void move(const Memory& target, const Memory& source, const Stream& stream);
  // Reads with a stream that waits for nothing: what the host knows to be done is there.
  void expect(const Memory& memory, std::uint64_t pattern, const std::string& what);

  OpenDevice& device;
  Stream first;
  Stream second;
  Stream third;
  Memory x;  // of kOrderedBytes, filled with kOld, and so is y
  Memory y;
  BusyWork busy;
};

}  // namespace loci::verify
