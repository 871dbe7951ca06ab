#include "tests/fuzz/current_case.h"

#include <unistd.h>

#include <csignal>
#include <utility>

#include "tests/fuzz/address_sanitizer.h"

namespace loci::fuzz {
namespace {

std::string& current() {
  static std::string text;
  return text;
}

void write_case() {
  const std::string& text = current();
  (void)!::write(STDERR_FILENO, "fuzz: at ", 9);
  (void)!::write(STDERR_FILENO, text.data(), text.size());
  (void)!::write(STDERR_FILENO, "\n", 1);
}

void on_signal(int number) {
  write_case();
  std::signal(number, SIG_DFL);
  std::raise(number);
}

bool install() {
  std::signal(SIGALRM, on_signal);
#ifdef LOCI_FUZZ_ASAN
  __sanitizer_set_death_callback(write_case);
#else
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
    std::signal(number, on_signal);
  }
#endif
  return true;
}

}  // namespace

void set_current_case(std::string text, unsigned seconds) {
  current() = std::move(text);
  static const bool kInstalled = install();
  (void)kInstalled;
  ::alarm(seconds);
}

}  // namespace loci::fuzz
