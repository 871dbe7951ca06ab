// Which operators wait for the next stage of a plan.
#pragma once

#include <vector>

#include "framework/program/program_impl.h"

namespace loci::planning {

class Deferral {
 public:
  explicit Deferral(std::size_t variables) : written_(variables), touched_(variables) {}

  // Returns true if the operator must wait because of one that does: it reads what that one
  // computes, or changes state that that one reads or changes.
  [[nodiscard]] bool hangs(const program::Operator& op) const;
  void add(const program::Operator& op);

  // Returns true if an operator that waits computes or changes the variable.
  [[nodiscard]] bool computes(program::VarId id) const {
    return written_[static_cast<std::size_t>(id)];
  }
  [[nodiscard]] const std::vector<const program::Operator*>& operators() const {
    return operators_;
  }

 private:
  std::vector<const program::Operator*> operators_;
  std::vector<bool> written_;  // by variable
  std::vector<bool> touched_;
};

}  // namespace loci::planning
