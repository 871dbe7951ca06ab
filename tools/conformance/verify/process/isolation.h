// Checks in processes of their own, so that a plugin which crashes, ends the process or hangs is a
// failed check and no more.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "tools/conformance/verify/verdict.h"

namespace loci::verify {

using Progress = std::function<void(const Result&)>;

// The checks of a level, or of several, cannot do without this: a device.
struct Vitality {
  // Throws where it does not work. CheckSkipped says that there is none, which is no fault.
  std::function<void()> probe;
  // It is made behind checks that passed, too: one whose device it says is lost has failed.
  bool probes_behind_all = false;
  // The check behind which a process ended or its device did not work: the next process has to
  // show that it does. Empty: none.
  std::string suspect = {};
  // The check behind which it did not work in a new process either, and what the probe said.
  std::string lost_in = {};
  std::string cause = {};
  [[nodiscard]] bool is_lost() const { return !lost_in.empty(); }
};

// Runs the checks in order in a child of this process; where it dies, the check that it was busy
// with has failed, and a further child goes on behind that one. So does a child that says nothing
// for longer than `patience`, which is ended. What the children wrote to standard error appears
// there when they have ended. `progress`, if there is one, sees each result as it comes.
//
// With `vitality`, which outlives the call: behind a check that failed the probe is made, and a
// child whose device does not work any more is replaced. One in which it never does ends the run:
// the checks that are left, and all of later runs, are skipped with the reason. A device that its
// plugin says is lost ends the run too, but not later ones.
//
// The children are forked, so this process should have no threads yet. Throws std::system_error if
// it cannot have children.
std::vector<Result> run_isolated(const std::vector<Check>& checks,
                                 std::chrono::milliseconds patience,
                                 const Progress& progress = nullptr, Vitality* vitality = nullptr);

}  // namespace loci::verify
