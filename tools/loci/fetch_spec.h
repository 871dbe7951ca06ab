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

// Throws Failure(kUsage) if one of them names a file; `reason` says why none is written.
void refuse_outputs(const std::vector<FetchSpec>& fetches, const char* reason);

}  // namespace loci::runner
