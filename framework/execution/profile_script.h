// How a profile shows a run of a plan: which scopes open and close around which instructions.
//
// Each operator has a scope, around the copies that its inputs need and its kernel. At the level
// kDetail these are told apart, prepare_data and compute; what the host reads belongs to compute.
// Operators of one gradient share a scope, "relu_grad". A copy that a schedule issues apart from
// its operator is in a scope prepare_data of its own, so that each operator is counted once; what
// it reads on the host for an operator of a later stage is in that one's scope. Without a schedule
// such reads are not in the script: see stage_scopes.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "framework/profiler/enabled.h"
#include "framework/profiler/recording.h"

namespace loci::execution {

class Plan;

struct ProfileStep {
  enum class Kind : std::uint8_t { kOpen, kLaunch, kClose };
  Kind kind = Kind::kLaunch;
  bool launches = false;        // kOpen: the scope has the correlation of `instruction`
  profiler::LabelId label = 0;  // kOpen
  std::uint32_t instruction = 0;
};

struct ProfileScript {
  std::vector<ProfileStep> steps;
  std::string first_operator = {};  // whose scope is opened first; empty if that is no operator's
  // Who reads a value that the rest of the plan waits for.
  struct Reader {
    std::string name;
    profiler::LabelId label = 0;
  };
  std::vector<Reader> readers = {};  // of the plan's awaited reads
  Reader next = {};                  // the operator that the rest begins with
};

ProfileScript make_profile_script(const Plan& plan, profiler::Level level);
// Makes the scripts of a plan with core_forks, whose pieces may be on several threads: each segment
// and each region without tracks has a script of its own, in their order. Operators of one gradient
// share a scope within each.
std::vector<ProfileScript> make_core_scripts(const Plan& plan, profiler::Level level);

}  // namespace loci::execution
