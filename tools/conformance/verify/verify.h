// Verifying a plugin: what `loci verify` does.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tools/conformance/case.h"
#include "tools/conformance/verify/exclusions.h"
#include "tools/conformance/verify/process/isolation.h"
#include "tools/conformance/verify/verdict.h"

namespace loci::verify {

// In the order in which they run: abi, life, mem, order, fault, profile, capture, ops.
const std::vector<std::string>& level_names();

struct Options {
  std::string file;
  std::vector<std::string> levels = level_names();
  std::string place = {};   // of the device under test; empty: the first of the plugin's first type
  std::string filter = {};  // a regular expression that is looked for in the names of checks
  Exclusions exclusions = {};
  bool complete = false;  // an absent case that no exclusion tells of has failed
  std::chrono::milliseconds patience = std::chrono::seconds(60);  // with a check that says nothing
  std::vector<std::string> directories = {};                      // of other plugins
  std::vector<conformance::Case> own_cases = {};                  // see own_cases.h
  std::size_t jobs = 1;  // processes that run cases of ops beside each other
};

// Who wants to hear of it while it is under way.
struct Listener {
  std::function<void(const std::string& level, std::size_t checks)> level_begins = nullptr;
  // In the order in which they end, with the outcome that an exclusion makes of it. With several
  // jobs a check is told of again where it ends otherwise when it runs alone.
  Progress check_ended = nullptr;
};

using Counts = std::map<Outcome, std::size_t>;

struct LevelReport {
  std::string name;
  std::vector<Result> results;
  [[nodiscard]] Counts counts() const;
};

struct Report {
  std::string file;
  std::string id;  // empty if its manifest cannot be read
  std::string version;
  std::string place;
  std::vector<LevelReport> levels;
  std::vector<Exclusion> exclusions;

  [[nodiscard]] Counts counts() const;
  [[nodiscard]] std::vector<Result> failures() const;
  [[nodiscard]] std::vector<Exclusion> stale() const;
  // The ten that took longest of those that took at least a tenth of a second, the longest first.
  [[nodiscard]] std::vector<Result> slowest() const;
};

// Runs the checks of each level in a process of its own. Where the device does not work any more
// behind a check that failed, those that are left are skipped: they would tell the same.
// The report is the same for any number of jobs. Throws Error: kNotFound if the file is not there,
// kInvalidArgument for a level, place or filter that there is not. What is wrong with the plugin is
// in the report.
Report verify(Options options, const Listener& listener = {});

}  // namespace loci::verify
