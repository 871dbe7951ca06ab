// The argument of --guard.
#pragma once

#include <loci/io.hpp>
#include <loci/place.hpp>
#include <string>
#include <vector>

namespace loci::runner {

struct GuardSpec {
  std::string pattern;  // of operators: see guard_operators()
  Place place;
};

// Reads REGEX=PLACE; the last '=' counts. Throws Failure(kUsage).
GuardSpec parse_guard(const std::string& argument);

// In this order. Throws Failure(kUsage) for one that is no regular expression or matches nothing.
void apply_guards(const std::vector<GuardSpec>& guards, const io::Model& model);

}  // namespace loci::runner
