#include "tests/integration/live_process.h"

#include <fcntl.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <system_error>

namespace loci::test {
namespace {

void require(bool done, const char* what) {
  if (!done) throw std::system_error(errno, std::generic_category(), what);
}

std::array<int, 2> open_ends(OutputEnd end) {
  std::array<int, 2> ends{-1, -1};
  if (end == OutputEnd::kPipe) {
    require(::pipe2(ends.data(), O_CLOEXEC) == 0, "pipe2");
    return ends;
  }
  winsize size{};
  size.ws_row = 24;
  size.ws_col = 60;
  require(::openpty(ends.data(), &ends[1], nullptr, nullptr, &size) == 0, "openpty");
  return ends;
}

[[noreturn]] void become(const std::vector<std::string>& arguments, OutputEnd end, int writer,
                         const std::vector<std::string>& environment) {
  ::dup2(writer, STDOUT_FILENO);
  if (end == OutputEnd::kTerminal) ::dup2(writer, STDERR_FILENO);
  for (const std::string& entry : environment) {
    const std::size_t equal = entry.find('=');
    ::setenv(entry.substr(0, equal).c_str(), entry.c_str() + equal + 1, /*replace=*/1);
  }
  std::vector<char*> words;
  for (const std::string& argument : arguments)
    words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  ::execv(words[0], words.data());
  ::_exit(127);
}

}  // namespace

LiveProcess::LiveProcess(const std::vector<std::string>& arguments, OutputEnd end,
                         const std::vector<std::string>& environment) {
  const std::array<int, 2> ends = open_ends(end);
  id_ = ::fork();
  require(id_ >= 0, "fork");
  if (id_ == 0) become(arguments, end, ends[1], environment);
  ::close(ends[1]);
  reader_ = ends[0];
}

LiveProcess::~LiveProcess() {
  ::kill(id_, SIGKILL);
  while (::waitpid(id_, nullptr, 0) < 0 && errno == EINTR) {
  }
  ::close(reader_);
}

// One byte at a time, so that what is behind the text stays for later. A terminal whose other end
// is closed gives an error.
std::string LiveProcess::read_until(const std::string& text) {
  std::string written;
  while (written.find(text) == std::string::npos) {
    char byte = 0;
    const ssize_t count = ::read(reader_, &byte, 1);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    written += byte;
  }
  return written;
}

bool LiveProcess::is_running() const {
  siginfo_t info{};
  const int found = ::waitid(P_PID, static_cast<id_t>(id_), &info, WEXITED | WNOHANG | WNOWAIT);
  return found == 0 && info.si_pid == 0;
}

}  // namespace loci::test
