// Runs one step and judges what came of it.
#pragma once

#include <filesystem>

#include "tests/gpu_suite/step.h"

namespace loci::gpu_suite {

struct RunSettings {
  std::filesystem::path logs;            // a folder that is there
  std::vector<std::string> environment;  // of each step, before its own
  bool emulated = false;                 // then no figure counts
  std::vector<std::string> keeper = {};  // words before each command: step_keeper.h
};

// Does not throw for what a program does; it is ended when its time is over.
StepResult run_step(const Step& step, const RunSettings& settings);

}  // namespace loci::gpu_suite
