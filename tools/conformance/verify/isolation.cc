#include "tools/conformance/verify/isolation.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>
#include <system_error>

#include "tools/conformance/verify/last_words.h"

namespace loci::verify {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kQuotedBytes = 300;

[[noreturn]] void refuse(const char* action) {
  throw std::system_error(errno, std::generic_category(), action);
}

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {
    if (number < 0) refuse("starting a process for checks");
  }
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int number() const { return number_; }
  void close() {
    if (number_ >= 0) ::close(number_);
    number_ = -1;
  }

 private:
  int number_;
};

std::string to_line(const Verdict& verdict) {
  const Json json{{"outcome", static_cast<int>(verdict.outcome)},
                  {"message", verdict.message},
                  {"kernels", verdict.kernels}};
  return json.dump(-1, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace) + "\n";
}

Verdict from_line(const std::string& line) {
  const Json json = Json::parse(line);
  return {static_cast<Outcome>(json["outcome"].get<int>()), json["message"],
          json["kernels"].get<std::set<std::string>>()};
}

void write_all(int descriptor, const std::string& text) {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t wrote = ::write(descriptor, text.data() + done, text.size() - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) ::_exit(EXIT_FAILURE);
    done += static_cast<std::size_t>(wrote);
  }
}

// A child that runs the checks from `first` on and writes a line for each.
class Child {
 public:
  Child(const std::vector<Check>& checks, std::size_t first)
      : Child(checks, first, make_pipe(), ::memfd_create("stderr", MFD_CLOEXEC)) {}
  ~Child() {
    if (id_ > 0) end();
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // The next line without its end; false if the child has ended, or said nothing for too long.
  bool read_line(std::chrono::milliseconds patience, std::string* line) {
    for (;;) {
      const std::size_t end = received_.find('\n');
      if (end != std::string::npos) {
        *line = received_.substr(0, end);
        received_.erase(0, end + 1);
        return true;
      }
      if (!receive(patience)) return false;
    }
  }

  // How it died, in words; empty if it ended as it should. It is gone afterwards.
  std::string wait(std::chrono::milliseconds patience) {
    if (silent_) {
      end();
      return fmt::format("it did not end within {} s", patience.count() / 1000.0);
    }
    int status = 0;
    while (::waitpid(id_, &status, 0) < 0 && errno == EINTR) {
    }
    id_ = -1;
    if (WIFSIGNALED(status)) {
      const char* name = ::sigabbrev_np(WTERMSIG(status));
      return fmt::format("the process died of SIG{}", name == nullptr ? "?" : name);
    }
    const int code = WEXITSTATUS(status);
    return code == 0 ? "" : fmt::format("the process ended with exit code {}", code);
  }

  // What it wrote to standard error.
  [[nodiscard]] std::string said() const {
    std::string text;
    char bytes[4096];
    for (off_t at = 0;;) {
      const ssize_t count = ::pread(error_.number(), bytes, sizeof bytes, at);
      if (count <= 0) return text;
      text.append(bytes, static_cast<std::size_t>(count));
      at += count;
    }
  }

 private:
  struct Pipe {
    int read_end;
    int write_end;
  };
  static Pipe make_pipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) refuse("starting a process for checks");
    return {ends[0], ends[1]};
  }

  Child(const std::vector<Check>& checks, std::size_t first, Pipe pipe, int error)
      : read_end_(pipe.read_end), write_end_(pipe.write_end), error_(error) {
    std::fflush(nullptr);
    const pid_t parent = ::getpid();
    id_ = ::fork();
    if (id_ < 0) refuse("starting a process for checks");
    if (id_ == 0) run(checks, first, parent);
    write_end_.close();
  }

  [[noreturn]] void run(const std::vector<Check>& checks, std::size_t first, pid_t parent) {
    // Whoever ends the runner does not mean its child to go on.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(EXIT_FAILURE);
    ::dup2(error_.number(), STDERR_FILENO);
    for (std::size_t i = first; i < checks.size(); ++i) {
      note_call("");
      write_all(write_end_.number(), to_line(judge(checks[i])));
    }
    // The plugin's destructors are a check of their own, and this process's are the parent's.
    ::_exit(EXIT_SUCCESS);
  }

  bool receive(std::chrono::milliseconds patience) {
    pollfd waited{read_end_.number(), POLLIN, 0};
    const int ready = ::poll(&waited, 1, static_cast<int>(patience.count()));
    if (ready < 0 && errno == EINTR) return true;
    if (ready <= 0) {
      silent_ = true;
      return false;
    }
    char bytes[4096];
    const ssize_t count = ::read(read_end_.number(), bytes, sizeof bytes);
    if (count < 0 && errno == EINTR) return true;
    if (count <= 0) return false;
    received_.append(bytes, static_cast<std::size_t>(count));
    return true;
  }

  void end() {
    ::kill(id_, SIGKILL);
    while (::waitpid(id_, nullptr, 0) < 0 && errno == EINTR) {
    }
    id_ = -1;
  }

  Descriptor read_end_;
  Descriptor write_end_;
  Descriptor error_;
  pid_t id_ = -1;
  std::string received_;
  bool silent_ = false;
};

std::string describe_death(std::string how, const std::string& said) {
  const LastWords words = take_last_words();
  if (!words.call.empty()) how += fmt::format(" in {}", words.call);
  if (!words.death.empty()) how += fmt::format(": {}", words.death);
  if (said.empty()) return how;
  std::string quoted = said.substr(0, kQuotedBytes);
  while (!quoted.empty() && quoted.back() == '\n') quoted.pop_back();
  for (char& c : quoted) {
    if (c == '\n') c = ' ';
  }
  return fmt::format("{}; it said: {}", how, quoted);
}

}  // namespace

std::vector<Result> run_isolated(const std::vector<Check>& checks,
                                 std::chrono::milliseconds patience, const Progress& progress) {
  share_last_words();
  std::vector<Result> results;
  const auto add = [&](Verdict verdict) {
    results.push_back({std::move(verdict), checks[results.size()].name});
    if (progress) progress(results.back());
  };
  while (results.size() < checks.size()) {
    Child child(checks, results.size());
    std::string line;
    while (results.size() < checks.size() && child.read_line(patience, &line)) add(from_line(line));
    const bool finished = results.size() == checks.size();
    const std::string death = child.wait(patience);
    const std::string said = child.said();
    if (!finished) {
      add({Outcome::kFailed, describe_death(death.empty() ? "the process ended" : death, said)});
    }
    if (finished || said.size() > kQuotedBytes) std::fputs(said.c_str(), stderr);
  }
  return results;
}

}  // namespace loci::verify
