#include "tools/conformance/verify/process/check_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <utility>

#include "tools/conformance/verify/process/last_words.h"
#include "tools/conformance/verify/process/verdict_line.h"

namespace loci::verify {
namespace {

[[noreturn]] void refuse() {
  throw std::system_error(errno, std::generic_category(), "starting a process for checks");
}

}  // namespace

Descriptor::Descriptor(int number) : number_(number) {
  if (number < 0) refuse();
}

void Descriptor::close() {
  if (number_ >= 0) ::close(number_);
  number_ = -1;
}

Pipe make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) refuse();
  return {ends[0], ends[1]};
}

CheckProcess::CheckProcess(const Work& work)
    : CheckProcess(work, make_pipe(), ::memfd_create("stderr", MFD_CLOEXEC)) {}

CheckProcess::CheckProcess(const Work& work, Pipe pipe, int error)
    : read_end_(pipe.read_end),
      write_end_(pipe.write_end),
      error_(error),
      child_([&] { run(work); }) {
  // Processes that it leaves behind keep the pipe open, so that its end is no sign of its death.
  watch_ = static_cast<int>(::syscall(SYS_pidfd_open, child_.id(), 0));
  write_end_.close();
}

CheckProcess::~CheckProcess() {
  child_.kill();
  left_.end();
  if (watch_ >= 0) ::close(watch_);
}

Verdict CheckProcess::judge_probe(const Work& work) {
  return judge({"probe", [&work]() -> Verdict {
                  work.probe();
                  return {};
                }});
}

Verdict CheckProcess::judge_check(const Work& work, const Check& check) {
  const Verdict verdict = judge(check);
  if (!work.probes_behind_all || verdict.outcome != Outcome::kPassed) return verdict;
  const Verdict probed = judge_probe(work);
  return probed.device_lost ? probed : verdict;
}

bool CheckProcess::probe(const Work& work) {
  const Verdict verdict = judge_probe(work);
  write_all(write_end_.number(), to_line(verdict) + "\n");
  return verdict.outcome != Outcome::kFailed;
}

void CheckProcess::run(const Work& work) {
  ::dup2(error_.number(), STDERR_FILENO);
  if (work.probes_first && !probe(work)) ::_exit(EXIT_SUCCESS);
  for (std::size_t i = work.first; i < work.checks.size(); ++i) {
    note_call("");
    const Verdict verdict = judge_check(work, work.checks[i]);
    write_all(write_end_.number(), to_line(verdict) + "\n");
    if (verdict.outcome == Outcome::kFailed && work.probe && !probe(work)) break;
  }
  // The plugin's destructors are a check of their own, and this process's are the parent's.
  ::_exit(EXIT_SUCCESS);
}

bool CheckProcess::read(std::chrono::milliseconds patience, Verdict* verdict) {
  for (;;) {
    const std::size_t end = received_.find('\n');
    if (end != std::string::npos) {
      *verdict = from_line(received_.substr(0, end));
      received_.erase(0, end + 1);
      return true;
    }
    if (!receive(patience)) return false;
  }
}

bool CheckProcess::receive(std::chrono::milliseconds patience) {
  pollfd waited[2] = {{read_end_.number(), POLLIN, 0}, {watch_, POLLIN, 0}};
  const int ready = ::poll(waited, watch_ >= 0 ? 2 : 1, static_cast<int>(patience.count()));
  if (ready < 0 && errno == EINTR) return true;
  if (ready <= 0) {
    silent_ = true;
    return false;
  }
  // Output that it wrote before it ended comes first, also where both happened while poll looked.
  return (waited[0].revents != 0 || ::poll(waited, 1, 0) > 0) && read_pipe();
}

bool CheckProcess::read_pipe() {
  char bytes[4096];
  const ssize_t count = ::read(read_end_.number(), bytes, sizeof bytes);
  if (count < 0 && errno == EINTR) return true;
  if (count <= 0) return false;
  received_.append(bytes, static_cast<std::size_t>(count));
  return true;
}

std::string CheckProcess::wait(std::chrono::milliseconds patience) {
  if (silent_) {
    child_.kill();
    return fmt::format("it did not end within {} s", patience.count() / 1000.0);
  }
  const ProcessEnd end = child_.wait();
  if (!end.signal.empty()) return fmt::format("the process died of SIG{}", end.signal);
  return end.exit_code == 0 ? ""
                            : fmt::format("the process ended with exit code {}", end.exit_code);
}

std::string CheckProcess::said() const {
  std::string text;
  char bytes[4096];
  for (off_t at = 0;;) {
    const ssize_t count = ::pread(error_.number(), bytes, sizeof bytes, at);
    if (count <= 0) return text;
    text.append(bytes, static_cast<std::size_t>(count));
    at += count;
  }
}

}  // namespace loci::verify
