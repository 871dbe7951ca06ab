// From one clock to another by samples of both.
#pragma once

#include <cstdint>
#include <vector>

namespace loci::cuda {

// The clocks may run at slightly different speeds, which may change.
class ClockFit {
 public:
  // Both at the same moment, later than at the samples before; others are ignored.
  void add(std::uint64_t from, std::uint64_t to);
  // Between two samples on the line between them, beyond as far from it as at the nearest; the
  // same without a sample.
  [[nodiscard]] std::uint64_t convert(std::uint64_t from) const;

 private:
  struct Sample {
    std::uint64_t from;
    std::uint64_t to;
  };
  std::vector<Sample> samples_;
};

}  // namespace loci::cuda
