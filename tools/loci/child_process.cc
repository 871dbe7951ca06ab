#include "tools/loci/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <system_error>
#include <utility>

namespace loci::runner {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// The child's end of the report's pipe.
constexpr int kReportDescriptor = 3;
// Above all descriptors that a child is given, so that none is overwritten before it is used.
constexpr int kFirstOwnDescriptor = 10;
// How often a child is asked whether it has ended. Not left to the end of its pipes, which
// processes that it started may keep open.
constexpr milliseconds kPause{2};

void check(int error, const char* what) {
  if (error != 0) throw std::system_error(error, std::generic_category(), what);
}

class Descriptor {
 public:
  Descriptor() = default;
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  // Takes over a low one.
  void take(int low) {
    number_ = ::fcntl(low, F_DUPFD_CLOEXEC, kFirstOwnDescriptor);
    const int error = errno;
    ::close(low);
    check(number_ < 0 ? error : 0, "fcntl");
  }
  void close() {
    if (number_ >= 0) ::close(number_);
    number_ = -1;
  }
  [[nodiscard]] int number() const { return number_; }

 private:
  int number_ = -1;
};

// Reads the text that the child writes to one descriptor.
class Stream {
 public:
  explicit Stream(std::string* text) : text_(text) {
    std::array<int, 2> ends{};
    check(::pipe2(ends.data(), O_CLOEXEC) == 0 ? 0 : errno, "pipe2");
    try {
      reader_.take(ends[0]);
    } catch (...) {
      ::close(ends[1]);
      throw;
    }
    writer_.take(ends[1]);
    check(::fcntl(reader_.number(), F_SETFL, O_NONBLOCK) == 0 ? 0 : errno, "fcntl");
  }

  [[nodiscard]] int writer() const { return writer_.number(); }
  [[nodiscard]] int reader() const { return reader_.number(); }
  void close_writer() { writer_.close(); }
  [[nodiscard]] bool is_cut() const { return is_cut_; }

  // Reads what is there; forgets the pipe once nobody can write to it any more.
  void read() {
    std::array<char, 4096> buffer{};
    while (reader_.number() >= 0) {
      const ssize_t count = ::read(reader_.number(), buffer.data(), buffer.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0 && errno == EAGAIN) return;
      if (count <= 0) {
        reader_.close();
        return;
      }
      const std::size_t room = kMaxChildText - text_->size();
      const std::size_t kept = std::min(room, static_cast<std::size_t>(count));
      text_->append(buffer.data(), kept);
      is_cut_ = is_cut_ || kept < static_cast<std::size_t>(count);
      // One that writes for ever must not keep its reader here for ever.
      if (static_cast<std::size_t>(count) < buffer.size()) return;
      if (++rounds_ % kRounds == 0) return;
    }
  }

 private:
  static constexpr int kRounds = 64;

  std::string* text_;
  Descriptor reader_;
  Descriptor writer_;
  int rounds_ = 0;
  bool is_cut_ = false;  // there was more than text_ may hold
};

class Streams {
 public:
  explicit Streams(ChildResult* result)
      : report_(&result->report), out_(&result->out), err_(&result->err) {}

  [[nodiscard]] std::array<Stream*, 3> all() { return {&out_, &err_, &report_}; }
  [[nodiscard]] bool is_report_cut() const { return report_.is_cut(); }

  void read_for(milliseconds time) {
    std::array<pollfd, 3> waits{};
    for (std::size_t i = 0; i < waits.size(); ++i) waits[i] = {all()[i]->reader(), POLLIN, 0};
    (void)::poll(waits.data(), waits.size(), static_cast<int>(time.count()));
    for (Stream* stream : all()) stream->read();
  }

 private:
  Stream report_;
  Stream out_;
  Stream err_;
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

// A process group of its own, and signals as a fresh process has them.
class Attributes {
 public:
  Attributes() {
    check(::posix_spawnattr_init(&attributes_), "spawnattr_init");
    sigset_t none;
    sigset_t all;
    sigemptyset(&none);
    sigfillset(&all);
    constexpr int kFlags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
    ::posix_spawnattr_setflags(&attributes_, static_cast<short>(kFlags));
    ::posix_spawnattr_setpgroup(&attributes_, 0);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    ::posix_spawnattr_setsigdefault(&attributes_, &all);
  }
  ~Attributes() { ::posix_spawnattr_destroy(&attributes_); }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;

  [[nodiscard]] const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_{};
};

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

// With one entry for a name: which of two counts, programs do not agree on.
std::vector<std::string> merged_environment(const std::vector<std::string>& changes) {
  std::vector<std::string> result = changes;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view kept(*entry);
    const std::string_view start = kept.substr(0, kept.find('=') + 1);
    const bool changed =
        std::any_of(changes.begin(), changes.end(),
                    [start](const std::string& change) { return change.rfind(start, 0) == 0; });
    if (!changed) result.emplace_back(kept);
  }
  return result;
}

pid_t spawn(const ChildCommand& command, Streams& streams) {
  FileActions actions;
  actions.read_nothing();
  constexpr std::array<int, 3> kTargets{STDOUT_FILENO, STDERR_FILENO, kReportDescriptor};
  for (std::size_t i = 0; i < kTargets.size(); ++i) {
    actions.redirect(streams.all()[i]->writer(), kTargets[i]);
  }
  std::vector<std::string> words = command.arguments;
  std::vector<std::string> variables = merged_environment(command.environment);
  pid_t child = 0;
  const Attributes attributes;
  check(::posix_spawn(&child, words[0].c_str(), actions.get(), attributes.get(),
                      pointers(words).data(), pointers(variables).data()),
        words[0].c_str());
  for (Stream* stream : streams.all()) stream->close_writer();
  return child;
}

// Leaves it a zombie, so that the number of its process group stays taken.
bool has_ended(pid_t child) {
  siginfo_t info{};
  return ::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == child;
}

int end(pid_t child) {
  ::kill(-child, SIGKILL);
  ::kill(child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) check(errno == EINTR ? 0 : errno, "waitpid");
  return status;
}

void classify(int status, ChildResult* result) {
  using End = ChildResult::End;
  const bool signalled = WIFSIGNALED(status);
  result->end = signalled ? End::kSignalled : End::kExited;
  result->value = signalled ? WTERMSIG(status) : WEXITSTATUS(status);
}

// Signals that another process sends; the rest a process brings on itself.
bool is_sent(int signal) {
  return signal == SIGKILL || signal == SIGTERM || signal == SIGINT || signal == SIGHUP;
}

std::string signal_name(int signal) {
  const char* name = ::sigabbrev_np(signal);
  return name == nullptr ? fmt::format("signal {}", signal) : fmt::format("SIG{}", name);
}

}  // namespace

namespace {

// Hands on the lines of a report that have come to their end since the last call, and takes them
// out of it.
class ReportLines {
 public:
  ReportLines(const ChildCommand& command, const Streams& streams, ChildResult* result)
      : told_(command.told), streams_(streams), text_(result->report) {}

  // Returns true if one of the lines was said to count.
  bool tell() {
    if (!told_) return false;
    bool counts = false;
    std::size_t begin = 0;
    for (std::size_t end = 0; (end = text_.find('\n', begin)) != std::string::npos;) {
      counts = told_(std::string_view(text_).substr(begin, end - begin)) || counts;
      begin = end + 1;
    }
    text_.erase(0, begin);
    bytes_ += begin;
    return counts;
  }
  [[nodiscard]] bool are_too_many() const {
    return told_ && (streams_.is_report_cut() || bytes_ > kMaxTold);
  }

 private:
  const std::function<bool(std::string_view)>& told_;
  const Streams& streams_;
  std::string& text_;
  std::size_t bytes_ = 0;
};

// Ends the child if it is left by an exception.
class Child {
 public:
  explicit Child(pid_t id) : id_(id) {}
  ~Child() {
    if (id_ > 0) (void)end(id_);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  [[nodiscard]] bool has_ended() const { return runner::has_ended(id_); }
  int finish() { return end(std::exchange(id_, 0)); }

 private:
  pid_t id_;
};

}  // namespace

ChildResult run_child(const ChildCommand& command) {
  ChildResult result;
  result.limit = command.limit;
  Streams streams(&result);
  ReportLines lines(command, streams, &result);
  const auto start = Clock::now();
  auto progress = start;
  Child child(spawn(command, streams));
  bool ended = false;
  while (!(ended = child.has_ended()) && !lines.are_too_many() &&
         Clock::now() - progress < command.limit) {
    streams.read_for(kPause);
    if (lines.tell()) progress = Clock::now();
  }
  classify(child.finish(), &result);
  streams.read_for(milliseconds(0));
  lines.tell();
  if (lines.are_too_many()) {
    result.end = ChildResult::End::kToldTooMuch;
  } else if (!ended) {
    result.end = ChildResult::End::kTimedOut;
  }
  result.duration = std::chrono::duration_cast<milliseconds>(Clock::now() - start);
  return result;
}

std::string describe_end(const ChildResult& result) {
  switch (result.end) {
    case ChildResult::End::kExited: return fmt::format("called exit({})", result.value);
    case ChildResult::End::kTimedOut:
      return fmt::format("did not return within {:g} s",
                         static_cast<double>(result.limit.count()) / 1000);
    case ChildResult::End::kToldTooMuch:
      return fmt::format(
          "wrote a line of more than {} MiB, or more than {} MiB, to a descriptor that is not its "
          "own",
          kMaxChildText >> 20, kMaxTold >> 20);
    case ChildResult::End::kSignalled: break;
  }
  return fmt::format("{} {}", is_sent(result.value) ? "was ended by" : "crashed with",
                     signal_name(result.value));
}

void enter_child() {
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::fcntl(kReportDescriptor, F_SETFD, FD_CLOEXEC);
}

void write_report(std::string_view line) {
  char newline = '\n';
  // Both in one call: another process may hold a copy of the descriptor.
  std::array<iovec, 2> parts{{{const_cast<char*>(line.data()), line.size()}, {&newline, 1}}};
  while (parts[0].iov_len + parts[1].iov_len > 0) {
    ssize_t count = ::writev(kReportDescriptor, parts.data(), parts.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;
    for (iovec& part : parts) {
      const std::size_t done = std::min(part.iov_len, static_cast<std::size_t>(count));
      part.iov_base = static_cast<char*>(part.iov_base) + done;
      part.iov_len -= done;
      count -= static_cast<ssize_t>(done);
    }
  }
}

}  // namespace loci::runner
