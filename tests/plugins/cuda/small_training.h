// A classifier of a few numbers, trained for some steps from the same parameters each time.
#pragma once

#include <loci/loci.hpp>
#include <vector>

namespace loci::test {

class SmallTraining {
 public:
  SmallTraining();

  struct Trained {
    std::vector<float> values;  // losses of the steps, parameters and states of the optimiser
    std::uint64_t replays = 0;  // of captured steps
  };
  [[nodiscard]] Trained run(const Place& place, const CompileOptions& options, int steps) const;

 private:
  [[nodiscard]] static Feed feed_of(int step);

  Program main_;
  Program startup_;
  Variable loss_;
};

}  // namespace loci::test
