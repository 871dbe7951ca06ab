#include "tools/loci/run/interruption.h"

#include <cstdio>
#include <cstdlib>

namespace loci::runner {
namespace {

volatile std::sig_atomic_t signal_came = 0;

// How a shell tells of a process that a signal ended.
constexpr int kEndedBySignal = 128;

}  // namespace

Interruption::Interruption() {
  signal_came = 0;
  struct sigaction ours {};
  ours.sa_handler = [](int) { signal_came = 1; };
  ours.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
  sigemptyset(&ours.sa_mask);
  ::sigaction(SIGINT, &ours, &before_);
}

Interruption::~Interruption() { ::sigaction(SIGINT, &before_, nullptr); }

bool Interruption::has_come() noexcept { return signal_came != 0; }

void Interruption::end_process() {
  std::fflush(nullptr);
  std::signal(SIGINT, SIG_DFL);
  std::raise(SIGINT);
  std::_Exit(kEndedBySignal + SIGINT);  // where the signal is blocked
}

}  // namespace loci::runner
