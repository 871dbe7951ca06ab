// One program that the suite runs, and what came of it.
#pragma once

#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace loci::gpu_suite {

// How a program says what it checked; its exit code counts for all.
enum class Reading { kNothing, kGoogleTest, kRules, kConformance, kVerify, kBench };

struct Step {
  std::string name;                  // "conformance.softmax"; what is before the dot is its group
  std::vector<std::string> command;  // the first is the path of a program
  std::chrono::seconds limit{600};
  Reading reading = Reading::kNothing;
  std::vector<std::string> environment = {};  // "NAME=value"
  std::string not_run = {};                   // why it is not; empty: it is
  // It measures times, or reads what others have logged: after all that may run beside each other.
  bool alone = false;

  [[nodiscard]] std::string group() const { return name.substr(0, name.find('.')); }
};

enum class Outcome { kPassed, kFailed, kSkipped };

struct StepResult {
  std::string name;
  std::string group;
  Outcome outcome = Outcome::kSkipped;
  std::string message = {};  // why it failed or was skipped
  double seconds = 0;
  std::map<std::string, long> counts = {};         // "passed", "failed", ...
  nlohmann::json rows = nlohmann::json::array();   // of a benchmark
  nlohmann::json notes = nlohmann::json::array();  // of a benchmark
  std::string log = {};                            // file with what it printed; empty: none
};

const char* outcome_name(Outcome outcome);

}  // namespace loci::gpu_suite
