#include "tests/support/subprocess.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

namespace loci::test {
namespace {

void check(int error, const char* what) {
  if (error != 0) throw std::system_error(error, std::generic_category(), what);
}

class Pipe {
 public:
  Pipe() { check(::pipe2(ends_.data(), O_CLOEXEC) == 0 ? 0 : errno, "pipe2"); }
  ~Pipe() {
    ::close(ends_[0]);
    close_writer();
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  [[nodiscard]] int reader() const { return ends_[0]; }
  [[nodiscard]] int writer() const { return ends_[1]; }
  void close_writer() {
    if (ends_[1] >= 0) ::close(ends_[1]);
    ends_[1] = -1;
  }

 private:
  std::array<int, 2> ends_{-1, -1};
};

class FileActions {
 public:
  FileActions() { check(::posix_spawn_file_actions_init(&actions_), "file_actions_init"); }
  ~FileActions() { ::posix_spawn_file_actions_destroy(&actions_); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;

  void redirect(int from, int to) {
    check(::posix_spawn_file_actions_adddup2(&actions_, from, to), "file_actions_adddup2");
  }
  void read_nothing() {
    check(::posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0),
          "file_actions_addopen");
  }
  [[nodiscard]] const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

// The first entry of a name is the one that counts, so the overrides come first.
std::vector<std::string> merged_environment(const std::vector<std::string>& overrides) {
  std::vector<std::string> result = overrides;
  for (char** entry = environ; *entry != nullptr; ++entry) result.emplace_back(*entry);
  return result;
}

// Both pipes at once: a process that fills one must not wait for a reader of the other.
void drain(const Pipe& out, const Pipe& err, Finished* finished) {
  std::array<pollfd, 2> waits{{{out.reader(), POLLIN, 0}, {err.reader(), POLLIN, 0}}};
  const std::array<std::string*, 2> texts{&finished->out, &finished->err};
  while (waits[0].fd >= 0 || waits[1].fd >= 0) {
    if (::poll(waits.data(), waits.size(), -1) < 0) {
      check(errno == EINTR ? 0 : errno, "poll");
      continue;
    }
    for (std::size_t i = 0; i < waits.size(); ++i) {
      if (waits[i].fd < 0 || waits[i].revents == 0) continue;
      std::array<char, 4096> buffer{};
      const ssize_t count = ::read(waits[i].fd, buffer.data(), buffer.size());
      if (count > 0) texts[i]->append(buffer.data(), static_cast<std::size_t>(count));
      if (count == 0) waits[i].fd = -1;
      if (count < 0) check(errno == EINTR ? 0 : errno, "read");
    }
  }
}

int wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) check(errno == EINTR ? 0 : errno, "waitpid");
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

Finished run_process(const std::vector<std::string>& arguments,
                     const std::vector<std::string>& environment) {
  Pipe out;
  Pipe err;
  FileActions actions;
  actions.read_nothing();
  actions.redirect(out.writer(), STDOUT_FILENO);
  actions.redirect(err.writer(), STDERR_FILENO);

  std::vector<std::string> words = arguments;
  std::vector<std::string> variables = merged_environment(environment);
  pid_t child = 0;
  check(::posix_spawn(&child, words[0].c_str(), actions.get(), nullptr, pointers(words).data(),
                      pointers(variables).data()),
        words[0].c_str());
  out.close_writer();
  err.close_writer();

  Finished finished;
  drain(out, err, &finished);
  finished.exit_code = wait_for(child);
  return finished;
}

}  // namespace loci::test
