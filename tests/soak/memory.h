// Finds out if the memory that the process has in use grows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace loci::soak {

// One figure after each cycle of phases, when nothing is under way.
class MemoryUse {
 public:
  // Before the first thread. The C library gives threads heaps of their own, up to eight for each
  // core, and keeps in each the most that its threads ever had: what is resident would grow for
  // minutes, whatever the program gives back.
  static void use_one_arena();
  // Adds this process as it is now: what its heap has given out, and what is resident.
  void sample();
  void add(std::uint64_t heap_bytes, std::uint64_t resident_bytes);

  // Takes the cycles after the first third, in which caches fill: the slope of a line through them,
  // which single large samples move little.
  [[nodiscard]] double heap_growth_per_cycle() const;
  [[nodiscard]] bool is_flat() const;
  [[nodiscard]] std::string report() const;

 private:
  struct Sample {
    double heap;
    double resident;
  };
  [[nodiscard]] std::vector<Sample> settled() const;

  std::vector<Sample> samples_;
};

}  // namespace loci::soak
