// `loci verify` tells its progress while it is under way.
#pragma once

#include <cstddef>
#include <string>

#include "tools/conformance/verify/verify.h"
#include "tools/loci/status_line.h"

namespace loci::runner {

// "failed mem/fill (12.3 ms): it filled half of it": the first line of what a check says, of one
// that did not pass.
std::string check_line(const verify::Result& result);

// A line on standard output for each check as it ends, if they are asked for, and how far it is as
// a status line.
class VerifyProgress {
 public:
  explicit VerifyProgress(bool prints_lines) : prints_lines_(prints_lines) {}

  // Which is not to be called after this has gone.
  [[nodiscard]] verify::Listener listener();

 private:
  void begin(const std::string& level, std::size_t checks);
  void take(const verify::Result& result);

  bool prints_lines_;
  std::string level_;
  std::size_t checks_ = 0;  // of the level
  std::size_t ended_ = 0;   // of those
  std::size_t failed_ = 0;  // of all levels
  StatusLine status_;
};

}  // namespace loci::runner
