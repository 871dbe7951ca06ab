// A plugin loaded in a child process, so that one that crashes, hangs or exits is reported and not
// suffered.
#pragma once

#include <chrono>
#include <loci/plugins.hpp>
#include <string>
#include <vector>

#include "tools/loci/child_process.h"
#include "tools/loci/failure.h"

namespace loci::runner {

struct ProbeResult {
  enum class Outcome {
    kGood,
    kFailed,    // it said so, or the loader did
    kEnded,     // it ended the process
    kTimedOut,  // it was not done in time
  };
  Outcome outcome = Outcome::kGood;
  plugins::Refusal refusal;  // one line each; empty if it is good
  std::chrono::milliseconds duration{};
  bool cached = false;  // seen before, and not tried again
};

std::string outcome_name(ProbeResult::Outcome outcome);  // "timed_out"
// "good, 12 ms", "ended, seen before".
std::string probe_text(const ProbeResult& result);

// "its open", for the step of a child that has this name.
std::string step_subject(const std::string& step);
// Say why a child ended in that step, and what to do about the plugin of this id. One line each.
std::string end_cause(const std::string& step, const ChildResult& child);
std::string end_remedy(const ChildResult& child, const std::string& id);

// Takes the candidate through all that discovery calls, plugins::try_out(), in a child. `program`
// is the runner itself. Throws nothing for what the plugin does; std::system_error if there can be
// no child.
ProbeResult probe_plugin(const plugins::Candidate& candidate, std::chrono::milliseconds limit,
                         const std::string& program);

// The child runs the subcommand of this name, which no help tells of. It reports each step before
// it is done, and what came out.
inline constexpr const char* kProbeSubcommand = "__probe";
ExitCode probe_in_child(const std::vector<std::string>& arguments);

}  // namespace loci::runner
