#include "tools/conformance/verify/launch/fault_signal.h"

#include <csignal>

#include "tools/conformance/verify/launch/lent_op.h"
#include "tools/conformance/verify/process/last_words.h"

namespace loci::verify {
namespace {

// The instruction runs again and faults again, for whoever handled the signal before.
struct sigaction before;

void explain(int signal, siginfo_t* info, void*) {
  if (is_lent(info->si_addr)) {
    note_death(
        "it read the description of an operator, its attributes or shapes, after the call of "
        "create or prepare for which it was lent");
  }
  ::sigaction(signal, &before, nullptr);
}

}  // namespace

void explain_faults() {
  struct sigaction action {};
  action.sa_sigaction = explain;
  action.sa_flags = SA_SIGINFO;
  ::sigaction(SIGSEGV, &action, &before);
}

}  // namespace loci::verify
