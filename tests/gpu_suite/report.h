// Tells what the suite found, for programs and for people.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/gpu_suite/step.h"

namespace loci::gpu_suite {

struct SuiteReport {
  std::string version;  // of Loci
  bool emulated = false;
  bool quick = false;
  nlohmann::json device;  // as `loci devices --json` tells it; null if there is none
  std::vector<StepResult> steps;

  [[nodiscard]] long count(Outcome outcome) const;
  [[nodiscard]] nlohmann::ordered_json to_json() const;
  [[nodiscard]] std::string to_text() const;
};

// One line: "  passed   12.3 s  conformance.softmax  412 passed".
std::string line_of(const StepResult& result);

}  // namespace loci::gpu_suite
