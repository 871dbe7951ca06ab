#include "tools/loci/verify/verify_progress.h"

#include <fmt/format.h>

#include <algorithm>

#include "tools/loci/output.h"
#include "tools/loci/quantity.h"

namespace loci::runner {

std::string check_line(const verify::Result& result) {
  const std::chrono::duration<double, std::micro> took = result.took;
  std::string line = fmt::format("{} {} ({})", verify::outcome_name(result.outcome), result.check,
                                 duration_text(took.count()));
  const bool has_passed = result.outcome == verify::Outcome::kPassed;
  if (has_passed || result.message.empty()) return line + "\n";
  return fmt::format("{}: {}\n", line, result.message.substr(0, result.message.find('\n')));
}

verify::Listener VerifyProgress::listener() {
  return {[this](const std::string& level, std::size_t checks) { begin(level, checks); },
          [this](const verify::Result& result) { take(result); }};
}

void VerifyProgress::begin(const std::string& level, std::size_t checks) {
  level_ = level;
  checks_ = checks;
  ended_ = 0;
}

void VerifyProgress::take(const verify::Result& result) {
  // One that is told of again, since it ended otherwise alone, is no further one.
  ended_ = std::min(ended_ + 1, checks_);
  if (result.outcome == verify::Outcome::kFailed) ++failed_;
  if (prints_lines_) print(check_line(result));
  if (!status_.is_due()) return;
  status_.show(
      fmt::format("{} {} of {}, {} failed; {}", level_, ended_, checks_, failed_, result.check));
}

}  // namespace loci::runner
