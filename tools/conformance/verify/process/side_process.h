// A child of this process that runs groups of checks, each check isolated, and writes what comes of
// them.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "tools/conformance/verify/process/check_groups.h"
#include "tools/conformance/verify/process/check_process.h"
#include "tools/conformance/verify/process/forked_child.h"
#include "tools/conformance/verify/process/isolation.h"

namespace loci::verify {

struct SideWork {
  const std::vector<Check>& checks;
  std::size_t first_checks;  // so many run before the groups do, and are not told of
  std::vector<CheckGroup> groups;
  std::chrono::milliseconds patience;
  const Vitality* vitality;  // NULL: none
};

class SideProcess {
 public:
  // A function that gets the result of the check with that number.
  using Told = std::function<void(std::size_t number, Result result)>;

  // It is killed with its owner, if it still runs. What it leaves behind is not ended.
  explicit SideProcess(const SideWork& work);

  // Readable when there is something to read().
  [[nodiscard]] int descriptor() const { return read_end_.number(); }
  [[nodiscard]] bool is_done() const { return is_done_; }
  // Tells of the checks that have passed meanwhile, or are absent: others are to be run alone.
  void read(const Told& told);

 private:
  SideProcess(const SideWork& work, Pipe pipe);
  void take(const std::string& line, const Told& told);

  const std::vector<Check>& checks_;
  Descriptor read_end_;
  Descriptor write_end_;
  ForkedChild child_;
  std::string received_;
  bool is_done_ = false;
};

}  // namespace loci::verify
