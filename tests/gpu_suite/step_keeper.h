// A keeper stands between the suite and a step, so that no step outlives a suite that was killed.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace loci::gpu_suite {

// The words before a step's command that have this very program keep it: "--keep-for ID".
std::vector<std::string> keeper_words();

// Where the arguments are those of a keeper: runs the step in this process's group, waits, and
// gives its exit code; a signal that ended the step ends this process too. When the suite ends
// before that, by whatever, all of the group is killed. Nothing where they are others.
std::optional<int> keep_step(int argc, char** argv);

}  // namespace loci::gpu_suite
