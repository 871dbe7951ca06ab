// A child of this process that runs checks and writes what comes of them, a line each.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "tools/conformance/verify/process/forked_child.h"
#include "tools/conformance/verify/process/left_processes.h"
#include "tools/conformance/verify/verdict.h"

namespace loci::verify {

// A file descriptor that is closed with its owner.
class Descriptor {
 public:
  // Throws std::system_error for a negative number, from errno.
  explicit Descriptor(int number);
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int number() const { return number_; }
  void close();

 private:
  int number_;
};

struct Pipe {
  int read_end;
  int write_end;
};
// Throws std::system_error.
Pipe make_pipe();

class CheckProcess {
 public:
  struct Work {
    const std::vector<Check>& checks;
    std::size_t first;                   // of those that it runs
    const std::function<void()>& probe;  // empty: none
    bool probes_first;                   // before the first check too, not only behind failed ones
    bool probes_behind_all;  // passed ones too, which have failed where it says that one is lost
  };
  explicit CheckProcess(const Work& work);
  // Ends it, if it still runs, and whatever it has left behind.
  ~CheckProcess();
  CheckProcess(const CheckProcess&) = delete;
  CheckProcess& operator=(const CheckProcess&) = delete;

  // The next verdict, of a check or of the probe; false if the child has ended, or said nothing
  // for too long.
  bool read(std::chrono::milliseconds patience, Verdict* verdict);
  // How it died, in words; empty if it ended as it should. It is gone afterwards.
  std::string wait(std::chrono::milliseconds patience);
  // Returns the text that it wrote to standard error.
  [[nodiscard]] std::string said() const;

 private:
  CheckProcess(const Work& work, Pipe pipe, int error);
  [[noreturn]] void run(const Work& work);
  static Verdict judge_probe(const Work& work);
  static Verdict judge_check(const Work& work, const Check& check);
  // Runs the probe and writes its verdict; true if it passes.
  bool probe(const Work& work);
  bool receive(std::chrono::milliseconds patience);
  bool read_pipe();

  LeftProcesses left_;
  Descriptor read_end_;
  Descriptor write_end_;
  Descriptor error_;
  std::string received_;
  bool silent_ = false;
  ForkedChild child_;
  int watch_ = -1;  // readable when it has ended
};

}  // namespace loci::verify
