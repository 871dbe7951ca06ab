// The most that a device can do, measured on this machine: the yardstick of rooflines.
//
// Arithmetic is a float32 product of square matrices. Memory is a copy that reads and writes every
// byte (as STREAM's copy counts, https://www.cs.virginia.edu/stream/ref.html), or an operator in
// place where that is faster. What an operator moves may lie in a cache, whose roof is another:
// each level of the memory has one, as in the cache-aware roofline model (Ilic, Pratas, Sousa,
// https://doi.org/10.1109/L-CA.2013.6). All run through an Executor, so that they are what a
// program can reach. The best of several rounds counts, and more are made until the best two agree.
#pragma once

#include <cstdint>
#include <loci/place.hpp>
#include <vector>

#include "framework/profiler/recording.h"

namespace loci::reporting {

struct Peaks {
  double flops = 0;                           // per second, float32
  double bytes = 0;                           // per second, read and written, beyond all caches
  std::vector<profiler::MemoryLevel> levels;  // the last is of `bytes`; the rates never rise
  std::int64_t measured_at = 0;               // seconds since 1970
  double others = 0;       // share of the host's processors that others took meanwhile
  bool is_steady = false;  // rounds agreed
};

// Runs for one to three seconds. Throws Error if the place cannot run a product or a copy.
Peaks measure_peaks(const Place& place);

}  // namespace loci::reporting
