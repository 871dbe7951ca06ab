// A classifier of a few numbers, trained for some steps from the same parameters each time.
#pragma once

#include <loci/loci.hpp>
#include <vector>

namespace loci::test {

class SmallTraining {
 public:
  SmallTraining();

  // From the start: the losses of the steps, then all parameters and states of the optimiser.
  [[nodiscard]] std::vector<float> run(const Place& place, const CompileOptions& options,
                                       int steps = 2) const;

 private:
  [[nodiscard]] static Feed feed_of(int step);

  Program main_;
  Program startup_;
  Variable loss_;
};

}  // namespace loci::test
