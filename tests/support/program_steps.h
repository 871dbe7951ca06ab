// A program gone through step by step: each operator as an op on tensors.
#pragma once

#include <cstdint>
#include <loci/loci.hpp>
#include <memory>
#include <string>
#include <vector>

#include "framework/program/program_impl.h"

namespace loci::test {

// Operators run under their guards, those without one at `place`. Persistable variables are the
// tensors of `scope`, which must have them; the random state comes into it if it is not there.
class ProgramSteps {
 public:
  // Says if operators run at the place, or follow their tensors, so that the CPU may stand in; what
  // has no tensors is made at the place then.
  enum class Placing : std::uint8_t { kGuarded, kFollowing };

  ProgramSteps(const Program& program, const Scope& scope, const Place& place,
               Placing placing = Placing::kGuarded);

  // One run. With `advances` random operators draw other numbers in the next one; an executor does
  // that of itself.
  [[nodiscard]] std::vector<Tensor> run(const Feed& feed, const std::vector<std::string>& fetches,
                                        bool advances = true) const;

 private:
  [[nodiscard]] Tensor persistable(const program::VarDesc& var) const;
  [[nodiscard]] std::string guard_of(const program::Operator& op) const;
  void step(const program::Operator& op, std::vector<Tensor>& values) const;

  std::shared_ptr<program::ProgramImpl> program_;
  Scope scope_;
  Place place_;
  Placing placing_;
};

}  // namespace loci::test
