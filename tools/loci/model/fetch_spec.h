// The argument of --fetch.
#pragma once

#include <string>
#include <vector>

#include "tools/loci/model/array_file.h"

namespace loci::runner {

struct FetchSpec {
  std::string name;
  ArrayFile file = {};  // no path: print it; of an archive: its array is named

  [[nodiscard]] bool is_printed() const { return file.path.empty(); }
};

// Reads NAME, NAME=@F.npy or NAME=@F.npz[:ARRAY]; without ARRAY it is called NAME. Throws
// Failure(kUsage).
FetchSpec parse_fetch(const std::string& argument);

// Throws Failure(kUsage) if two of them write the same file or array, and Failure(kFailed) if one
// of the files cannot be written: better said before a long run than after it.
void check_outputs(const std::vector<FetchSpec>& fetches);

// Throws Failure(kUsage) if one of them names a file; `reason` says why none is written.
void refuse_outputs(const std::vector<FetchSpec>& fetches, const char* reason);

}  // namespace loci::runner
