#include "tools/conformance/verify/process/forked_child.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <utility>

namespace loci::verify {
namespace {

[[noreturn]] void run_as_child(const std::function<void()>& body, pid_t parent) {
  // Whoever ends the runner does not mean its child to go on.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() == parent) body();
  ::_exit(EXIT_FAILURE);
}

}  // namespace

ForkedChild::ForkedChild(const std::function<void()>& body) {
  std::fflush(nullptr);
  const pid_t parent = ::getpid();
  id_ = ::fork();
  if (id_ == 0) run_as_child(body, parent);
  if (id_ < 0) {
    throw std::system_error(errno, std::generic_category(), "starting a process for checks");
  }
}

ProcessEnd ForkedChild::wait() {
  const pid_t child = std::exchange(id_, -1);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFSIGNALED(status)) return {"", WEXITSTATUS(status)};
  const char* name = ::sigabbrev_np(WTERMSIG(status));
  return {name == nullptr ? "?" : name, EXIT_FAILURE};
}

void ForkedChild::kill() {
  if (id_ < 0) return;
  ::kill(id_, SIGKILL);
  wait();
}

}  // namespace loci::verify
