// Runs conformance cases at a place, through the public API alone.
#pragma once

#include <cstddef>
#include <functional>
#include <loci/place.hpp>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tools/conformance/case.h"

namespace loci::conformance {

enum class Outcome {
  kPassed,
  kFailed,
  kAbsent,  // the place has no kernel for it
};
std::string_view outcome_name(Outcome outcome);

struct CaseResult {
  std::string name;
  std::string family;
  Outcome outcome = Outcome::kPassed;
  std::string message;                 // why it did not pass
  Real worst = 0;                      // the largest share of a bound that an element used
  std::set<std::string> kernels = {};  // that ran the case's op: "org.loci.cpu/onednn"
};

// How much is checked.
struct Effort {
  // Elements of each gradient that central differences check: most of the time of a run. At
  // least 1.
  std::size_t gradient_samples = 24;
};

// Checks one case:
//  - as written: every operator by itself, inputs fed directly;
//  - compiled: memory reused, inputs copied first, so that kernels work in place where they may;
//  this
//    gives the same bits;
//  - gradients, where the case wants them.
// Whatever is thrown is a result too.
CaseResult run_case(const Case& subject, const Place& place, const Effort& effort = {});

// Functions that stand around a case's op and leave every element as it is. Empty: nothing.
struct Surroundings {
  std::function<Variable(const Variable&)> before;  // of each floating input that is fed
  std::function<Variable(const Variable&)> behind;  // of each floating output
};

// Checks the outputs of a case between them, with values passed in layouts of the kernels' own
// where these like it. Absent where none is; `layouts` gets what the plan says of those that are.
CaseResult run_laid_out(const Case& subject, const Place& place, const Surroundings& surroundings,
                        std::set<std::string>* layouts);

struct Report {
  struct Count {
    std::size_t passed = 0;
    std::size_t failed = 0;
    std::size_t absent = 0;
  };
  Place place;
  std::vector<CaseResult> results;

  [[nodiscard]] std::map<std::string, Count> families() const;
  [[nodiscard]] Count total() const;
  // How many cases each kernel ran.
  [[nodiscard]] std::map<std::string, std::size_t> kernels() const;
};

// Throws Error(kUnavailable) if the place is not there. `progress`, if there is one, sees each
// result as it comes.
Report run_suite(const Suite& suite, const Place& place,
                 const std::function<void(const CaseResult&)>& progress = nullptr,
                 const Effort& effort = {});

}  // namespace loci::conformance
