#include "tools/conformance/verify/process/left_processes.h"

#include <sys/prctl.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <iterator>
#include <thread>

#include "tools/conformance/verify/process_state.h"

namespace loci::verify {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kEndPatience{2};
constexpr std::chrono::milliseconds kEndPause{2};

}  // namespace

LeftProcesses::LeftProcesses() : before_(child_processes()) {
  ::prctl(PR_GET_CHILD_SUBREAPER, &was_parent_of_orphans_);
  adopt_orphans();
}

LeftProcesses::~LeftProcesses() { ::prctl(PR_SET_CHILD_SUBREAPER, was_parent_of_orphans_); }

std::vector<pid_t> LeftProcesses::find() const {
  std::vector<pid_t> left;
  const std::vector<pid_t> now = child_processes();
  std::copy_if(now.begin(), now.end(), std::back_inserter(left), [&](pid_t child) {
    return std::find(before_.begin(), before_.end(), child) == before_.end();
  });
  return left;
}

// In rounds, since the children of one that is killed come to this process.
void LeftProcesses::end() {
  const Clock::time_point deadline = Clock::now() + kEndPatience;
  for (std::vector<pid_t> left = find(); !left.empty(); left = find()) {
    if (Clock::now() > deadline) return;
    for (const pid_t child : left) {
      ::kill(child, SIGKILL);
      ::waitpid(child, nullptr, WNOHANG);
    }
    std::this_thread::sleep_for(kEndPause);
  }
}

}  // namespace loci::verify
