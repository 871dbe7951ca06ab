// Which operators make and need which variables where, as their labels tell.
#pragma once

#include <loci/abi/profile.h>

#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

namespace loci::report {

// The names of an operator's arguments in a text like
// "inputs: {x[a:float32[4, 2], b:float32[2]], y[]}, outputs: {out[c:float32[4, 2]]}".
struct Arguments {
  std::vector<std::string_view> inputs;
  std::vector<std::string_view> outputs;
};
Arguments arguments_of(std::string_view detail);

// Borrows from the profile.
class DataFlow {
 public:
  explicit DataFlow(const loci_profile& profile);

  // How many values would have to be copied in each step if that operator, which runs at that
  // place, ran elsewhere: those that it takes from others there, and those that others there take
  // from it. 0 where nothing is known of it.
  [[nodiscard]] std::uint64_t new_copies(std::string_view op, std::string_view place) const;

 private:
  using At = std::pair<std::string_view, std::string_view>;  // an operator or variable, a place

  std::map<At, Arguments> operators_;
  std::set<At> made_;
  std::set<At> needed_;
};

}  // namespace loci::report
