// Work that may crash, hang or end the process, done in a process of its own.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace loci::runner {

struct ChildCommand {
  // arguments[0] is the path of a program; this very one is kThisProgram.
  std::vector<std::string> arguments;
  // It is killed when this is over.
  std::chrono::milliseconds limit{5000};
  std::vector<std::string> environment = {};  // "NAME=value", over that of this process
  // Told of each line of the report as it comes, which ChildResult::report does not have then.
  // Where it returns true, the limit begins anew.
  std::function<bool(std::string_view line)> told = {};
};
inline constexpr const char* kThisProgram = "/proc/self/exe";

struct ChildResult {
  enum class End {
    kExited,
    kSignalled,
    kTimedOut,
    kToldTooMuch,  // a line of more than kMaxChildText bytes, or kMaxTold in all: it was killed
  };
  End end = End::kExited;
  int value = 0;  // the exit code, or the number of the signal
  // The child's output, up to kMaxChildText bytes each; the rest is thrown away.
  std::string report;  // by write_report()
  std::string out;
  std::string err;
  std::chrono::milliseconds limit{};
  std::chrono::milliseconds duration{};

  [[nodiscard]] bool succeeded() const { return end == End::kExited && value == 0; }
};
inline constexpr std::size_t kMaxChildText = std::size_t{1} << 20;
inline constexpr std::size_t kMaxTold = std::size_t{64} << 20;  // of reports that are told

// Runs the program with no input and the pipes above, in a process
// group of its own, all of which is killed when the program has ended or its time is over. What a
// straggler would still write is not waited for. Throws std::system_error if it cannot be started.
ChildResult run_child(const ChildCommand& command);

// "crashed with SIGSEGV", "was ended by SIGTERM", "called exit(3)", "did not return within 5 s".
std::string describe_end(const ChildResult& result);

// For the child, first of all: leaves no core file, ends with the process that waits for it, and
// keeps the report from programs that it starts itself.
void enter_child();
// One line of the report, without the newline. Lost if this process is nobody's child. Allocates
// nothing, so that it can be called where a process is about to end.
void write_report(std::string_view line);

}  // namespace loci::runner
