// Checks what failures leave behind: in each life of a device a call, or a piece of work, fails.
#pragma once

#include <functional>

#include "tools/conformance/verify/fault/faulty_device.h"

namespace loci::verify {

// A call or work of some kind, made once. True if it fails, at once or as it runs. It gives back
// what it takes.
using Attempt = std::function<bool()>;

struct Failing {
  const char* option;  // "fail_copy", the setting by which it fails
  const char* what;    // "a copy"
  // Makes what an attempt needs, once in a life.
  Attempt (*prepare)(FaultyDevice& faulty);
};

// Fails the check if lives in which it fails leave something behind: memory of the device, of the C
// heap or of the host table, threads, file descriptors or processes. Skips it if nothing fails.
void check_failing_lives(const Target& target, const Failing& failing);

}  // namespace loci::verify
