// A line on the terminal that tells how far the work is.
#pragma once

#include <chrono>
#include <string>

namespace loci::runner {

// On standard error while that is a terminal, rewritten at most ten times a second, cut where the
// terminal ends, and wiped at the end. Silent for work that is done within a tenth of a second.
class StatusLine {
 public:
  StatusLine();
  ~StatusLine();
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  // Returns true if a text would be shown now, so that who makes it need not otherwise.
  [[nodiscard]] bool is_due() const;
  void show(const std::string& text);

 private:
  bool terminal_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point last_;
};

}  // namespace loci::runner
