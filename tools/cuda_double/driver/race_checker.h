// Races between streams: two accesses to the same bytes, one of them a write, that nothing orders.
//
// An access is that of a whole copy, fill or launch. It has the clock of its work; one that an
// earlier access is not part of races with it, whichever happened to run first. What the host
// program does by itself, and what orders work behind the driver's back, such as a flag in memory,
// is not seen.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "tools/cuda_double/driver/clock.h"
#include "tools/cuda_double/driver/findings.h"
#include "tools/cuda_double/memory/device_memory.h"

namespace loci::cuda_double {

struct Task;

struct MemoryAccess {
  std::uint64_t begin = 0;
  std::uint64_t bytes = 0;
  bool written = false;
  bool atomic = false;
  std::string source;  // where in a kernel; may be empty
};

class RaceChecker {
 public:
  RaceChecker(bool enabled, Findings& findings, const DeviceMemory& memory)
      : enabled_(enabled), findings_(findings), memory_(memory) {}

  // Thread-safe. Memory that is no device's or pinned memory is ignored.
  void accessed(const Task& task, const MemoryAccess& access);
  // The bytes are somebody else's from now on.
  void forget(std::uint64_t begin, std::uint64_t bytes);

 private:
  struct User {
    Epoch epoch;
    bool atomic = false;
    std::string what;
  };
  struct Piece {
    std::uint64_t end = 0;
    std::vector<User> writers;  // several only where all are atomic
    std::vector<User> readers;
  };
  using Pieces = std::map<std::uint64_t, Piece>;  // by their begin; they do not overlap

  void split_at(std::uint64_t address);
  void check(const Task& task, const MemoryAccess& access, std::uint64_t begin, Piece& piece);
  void report(const User& earlier, bool earlier_wrote, const Task& task, const MemoryAccess& access,
              std::uint64_t begin, std::uint64_t end);

  const bool enabled_;
  Findings& findings_;
  const DeviceMemory& memory_;
  std::mutex mutex_;
  Pieces pieces_;
};

}  // namespace loci::cuda_double
