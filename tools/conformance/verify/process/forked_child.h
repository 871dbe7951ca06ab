// A child of this process, made by fork().
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>

namespace loci::verify {

// How a process ended: of a signal, whose name without SIG this is, or with an exit code.
struct ProcessEnd {
  std::string signal;  // empty: of none
  int exit_code = 0;
};

class ForkedChild {
 public:
  // Has the child run the body, which ends the process itself: the child has a copy of all that
  // the parent has, and must not go on with it. It dies if its parent ends. Throws
  // std::system_error where no process can be made.
  explicit ForkedChild(const std::function<void()>& body);
  // Kills it, if it still runs.
  ~ForkedChild() { kill(); }
  ForkedChild(const ForkedChild&) = delete;
  ForkedChild& operator=(const ForkedChild&) = delete;

  // Negative behind wait() and kill().
  [[nodiscard]] pid_t id() const { return id_; }
  // Until it has ended by itself. Once.
  ProcessEnd wait();
  void kill();

 private:
  pid_t id_;
};

}  // namespace loci::verify
