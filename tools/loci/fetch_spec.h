// The argument of --fetch.
#pragma once

#include <string>
#include <vector>

namespace loci::runner {

struct FetchSpec {
  std::string name;
  std::string path;  // empty: print it
};

// Reads NAME or NAME=@F.npy. Throws Failure(kUsage).
FetchSpec parse_fetch(const std::string& argument);

// Throws Failure(kUsage) if two of them write the same file, and Failure(kFailed) if one of the
// files cannot be written: better said before a long run than after it.
void check_outputs(const std::vector<FetchSpec>& fetches);

}  // namespace loci::runner
