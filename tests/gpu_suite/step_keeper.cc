#include "tests/gpu_suite/step_keeper.h"

#include <spawn.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tools/loci/child_process.h"

namespace loci::gpu_suite {
namespace {

constexpr const char* kKeepFor = "--keep-for";
constexpr int kNotStarted = 127;  // as a shell says it

void end_group(int /*signal*/) { ::kill(0, SIGKILL); }

// The kernel tells of the end of the thread that started this process, which waits for it as long
// as the suite is there.
void end_with(pid_t suite) {
  ::setpgid(0, 0);  // a group of its own also when it is not run_child() that starts it
  struct sigaction action {};
  action.sa_handler = end_group;
  ::sigaction(SIGTERM, &action, nullptr);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != suite) end_group(SIGTERM);  // before it could be told
}

// Ends as the step ended.
int end_by(int status) {
  if (!WIFSIGNALED(status)) return WEXITSTATUS(status);
  const rlimit none{0, 0};  // the step has left its core file
  ::setrlimit(RLIMIT_CORE, &none);
  std::signal(WTERMSIG(status), SIG_DFL);
  std::raise(WTERMSIG(status));
  return 128 + WTERMSIG(status);
}

}  // namespace

std::vector<std::string> keeper_words() {
  return {runner::kThisProgram, kKeepFor, std::to_string(::getpid())};
}

std::optional<int> keep_step(int argc, char** argv) {
  if (argc < 4 || std::strcmp(argv[1], kKeepFor) != 0) return std::nullopt;
  end_with(static_cast<pid_t>(std::atol(argv[2])));
  pid_t step = 0;
  if (const int error = ::posix_spawn(&step, argv[3], nullptr, nullptr, argv + 3, environ)) {
    std::fprintf(stderr, "%s: %s\n", argv[3], std::strerror(error));
    return kNotStarted;
  }
  int status = 0;
  while (::waitpid(step, &status, 0) < 0) {
    if (errno != EINTR) return kNotStarted;
  }
  return end_by(status);
}

}  // namespace loci::gpu_suite
