// Failures of the software accelerators, planted while they work.
#pragma once

#include <atomic>
#include <cstdint>
#include <loci/place.hpp>
#include <thread>
#include <vector>

namespace loci::soak {

// While it lives, a task of some accelerator fails every few milliseconds.
class Faults {
 public:
  Faults(const std::vector<Place>& places, std::uint64_t seed);
  ~Faults();
  Faults(const Faults&) = delete;
  Faults& operator=(const Faults&) = delete;

 private:
  void plant(std::uint64_t seed);

  std::vector<std::atomic<std::int64_t>*> countdowns_;  // a task's, by device
  std::atomic<bool> ends_{false};
  std::thread thread_;
};

}  // namespace loci::soak
