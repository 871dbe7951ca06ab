// File system calls that fail when a test says so. A program that links this has every such call of
// its own code and of the libraries that it loads go through here.
#pragma once

#include <functional>
#include <string>

namespace loci::test {

enum class FaultKind {
  kError,       // the call fails; close() closes all the same
  kHalf,        // write() writes half of it; other calls work
  kExitBefore,  // the process ends with kFaultExit, without any cleaning up
  kExitAfter,
};
inline constexpr int kFaultExit = 77;

struct FileFault {
  int at = -1;  // number of the call from 0, or -1 for none
  FaultKind kind = FaultKind::kError;
  int error = 0;     // errno
  std::string only;  // counts calls of this name alone, if it has one
};

// Counts calls of the thread that makes it, for as long as it lives. One at a time in a thread.
class FileFaults {
 public:
  explicit FileFaults(FileFault fault = {});
  // None fails; `before` is called before each, with its name, and makes calls that do not count.
  explicit FileFaults(std::function<void(const std::string&)> before);
  ~FileFaults();
  FileFaults(const FileFaults&) = delete;
  FileFaults& operator=(const FileFaults&) = delete;

  [[nodiscard]] int calls() const { return calls_; }
  // The name of the call that failed; empty if there was none.
  [[nodiscard]] const std::string& hit() const { return hit_; }

  // For the calls.
  static FileFaults* current();
  bool strikes(const char* call);
  [[nodiscard]] const FileFault& fault() const { return fault_; }

 private:
  FileFault fault_;
  std::function<void(const std::string&)> before_;
  int calls_ = 0;
  std::string hit_;
};

}  // namespace loci::test
