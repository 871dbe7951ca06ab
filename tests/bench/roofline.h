// How far a call is from what the machine can do: its operators, each against its own roof. A roof
// is the cache-aware one of Ilic, Pratas and Sousa (https://doi.org/10.1109/L-CA.2013.6): what an
// operator moves may lie in a cache, whose bandwidth is another.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace loci::bench {

// Bandwidth while that many bytes are used over and over, by all threads together.
struct MemoryLevel {
  std::int64_t bytes = 0;
  double read = 0;  // bytes per second, as `copy`, which counts those that it writes too
  double copy = 0;
};

// The most that a number of threads can do.
struct Limits {
  int threads = 1;
  double flops = 0;                 // per second, float32
  std::vector<MemoryLevel> levels;  // by size; the last is beyond all caches
};

// An operator of a call; times, FLOPs and bytes are those of one time that it runs. The schema of
// the operator counts FLOPs and bytes, as it is defined: what a kernel saves by a method of its own
// (Winograd's) or by caches does not show.
struct OperatorTime {
  std::string name;
  std::string instance;
  std::string kernel;
  std::string detail;  // shapes
  double runs = 1;     // in a call
  double us = 0;
  double flops = 0;
  double bytes = 0;
};

// The least time for an operator, in microseconds, and what asks for it.
struct Bound {
  double us = 0;
  bool by_memory = false;
};

// The rate at which an operator that uses so many bytes may move them: of the largest level that
// they fill, by reading or copying, whichever is faster. 0 without levels.
double memory_rate(const Limits& limits, double bytes);
Bound bound_of(const OperatorTime& op, const Limits& limits);

}  // namespace loci::bench
