// The state of an optimizer by the names of its parameters.
#pragma once

#include <cstddef>
#include <loci/state_dict.hpp>
#include <map>
#include <string>
#include <vector>

#include "framework/optimizer/update_rule.h"

namespace loci {
inline namespace v0 {
namespace optimizer {

inline constexpr const char* kSavedRate = "learning_rate";  // float64
inline constexpr const char* kSavedSteps = "step";          // int64, of each parameter

// "fc.weight.moment1".
std::string saved_name(const std::string& parameter, const char* state);

// A state that fits a rule and its parameters.
class SavedState {
 public:
  // Throws Error(kInvalidArgument) that names everything that is missing, that is no parameter's,
  // or of another dtype or shape.
  SavedState(const UpdateRule& rule, const StateDict& parameters, const StateDict& state);

  // The states of the parameter with that index, in the rule's order; empty if it has none.
  [[nodiscard]] std::vector<Tensor> of(std::size_t parameter) const;
  [[nodiscard]] double rate() const;
  // The steps of the parameter with that index; undefined if the rule does not count, or it has no
  // state. Old states have one count for all parameters, and give that.
  [[nodiscard]] Tensor steps(std::size_t parameter) const;

 private:
  void check();
  void expect(const std::string& name, DType dtype, const Shape& shape);
  void expect_steps(const std::string& parameter);
  [[nodiscard]] Tensor find(const std::string& name) const;
  [[nodiscard]] bool has_any(const std::string& parameter) const;

  const UpdateRule& rule_;
  const StateDict& parameters_;
  std::map<std::string, Tensor> given_;
  std::map<std::string, Tensor> left_;  // not asked for yet
  std::vector<std::string> faults_;
};

}  // namespace optimizer
}  // namespace v0
}  // namespace loci
