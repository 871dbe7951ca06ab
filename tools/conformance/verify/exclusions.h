// The file lists what a plugin is known not to do, with the reasons: a JSON array of
//   {"case": "^ops/.*/float64/", "kind": "unsupported", "reason": "kernels are float32 alone"}
// `case` is a regular expression that is looked for in the name of a check; the first entry that
// matches counts. `kind` is
//   unsupported       the plugin has no kernel for the case, which is otherwise absent; of a case
//                     for which none runs, all being empty, it may say so too
//   expected_failure  the check fails
// An entry is stale where a check that it matches does not need it, or it matches none.
#pragma once

#include <cstddef>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include "tools/conformance/verify/verdict.h"

namespace loci::verify {

struct Exclusion {
  std::string pattern;
  std::regex expression;
  Outcome kind = Outcome::kUnsupported;  // or kExpectedFailure
  std::string reason;
  std::size_t used = 0;                    // checks that needed it
  std::vector<std::string> unneeded = {};  // that matched, and did not
  bool known = false;                      // matches a check of any level, run or not
  [[nodiscard]] bool is_stale() const { return !unneeded.empty() || !known; }
};

class Exclusions {
 public:
  Exclusions() = default;
  // Throws Error(kDataLoss) that names the entry and what is wrong with it.
  static Exclusions parse(std::string_view json);
  // Throws Error(kNotFound) too.
  static Exclusions read(const std::string& path);

  // Tells of a check that exists.
  void know(const std::string& check);
  // Turns the outcome into the excluded one, with the reason, where an entry says so.
  void apply(Result& result);

  [[nodiscard]] const std::vector<Exclusion>& entries() const { return entries_; }

 private:
  Exclusion* find(const std::string& check);

  std::vector<Exclusion> entries_;
};

}  // namespace loci::verify
