// Work whose result is known to the bit.
#pragma once

#include <functional>
#include <loci/loci.hpp>
#include <string>
#include <vector>

namespace loci::soak {

// `run` may be called by many threads at the same time and gives the same values each time, or
// throws Error where a device fails.
struct Scenario {
  std::string name;
  std::function<std::vector<float>()> run;
};

// At each place, from each place to each other one, and at two together. Files go into `directory`,
// which exists.
std::vector<Scenario> make_scenarios(const std::vector<Place>& places,
                                     const std::string& directory);

}  // namespace loci::soak
