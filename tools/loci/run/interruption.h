// Ctrl-C that ends a command early instead of at once.
#pragma once

#include <csignal>

namespace loci::runner {

// While it lives, the first SIGINT is only noted, and a second one does what it always does. One at
// a time.
class Interruption {
 public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  [[nodiscard]] static bool has_come() noexcept;
  // Ends the process by the signal, as a shell and whoever wrote a loop around it expect.
  [[noreturn]] static void end_process();

 private:
  struct sigaction before_ {};
};

}  // namespace loci::runner
