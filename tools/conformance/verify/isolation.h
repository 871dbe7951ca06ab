// Checks in processes of their own, so that a plugin which crashes, ends the process or hangs is a
// failed check and no more.
#pragma once

#include <chrono>
#include <functional>
#include <vector>

#include "tools/conformance/verify/verdict.h"

namespace loci::verify {

using Progress = std::function<void(const Result&)>;

// Runs the checks in order in a child of this process; where it dies, the check that it was busy
// with has failed, and a further child goes on behind that one. So does a child that says nothing
// for longer than `patience`, which is ended. What the children wrote to standard error appears
// there when they have ended. `progress`, if there is one, sees each result as it comes.
//
// The children are forked, so this process should have no threads yet. Throws std::system_error if
// it cannot have children.
std::vector<Result> run_isolated(const std::vector<Check>& checks,
                                 std::chrono::milliseconds patience,
                                 const Progress& progress = nullptr);

}  // namespace loci::verify
