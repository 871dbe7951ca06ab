// Defines a check of a plugin, and how it ends.
#pragma once

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace loci::verify {

enum class Outcome {
  kPassed,
  kFailed,
  kSkipped,          // does not apply to this plugin or machine
  kAbsent,           // a case of an op that the plugin has no kernel for
  kUnsupported,      // absent, and an exclusion says why
  kExpectedFailure,  // failed, and an exclusion says why
};
std::string_view outcome_name(Outcome outcome);  // "expected_failure"

// How one check ended.
struct Verdict {
  Outcome outcome = Outcome::kPassed;
  std::string message;  // why it did not pass
  // The kernels that ran a case of an op, "org.loci.cpu/onednn".
  std::set<std::string> kernels = {};
  bool device_lost = false;  // so the plugin said: LOCI_CODE_DEVICE_LOST
};

struct Check {
  std::string name;  // "<level>/<what>"
  std::function<Verdict()> run;
  // Checks of one group may run while those of others do, in another process, and in order. Empty:
  // it looks at time or at what all processes share, and runs alone.
  std::string group = {};
};

struct Result : Verdict {
  std::string check;
  std::chrono::nanoseconds took{};  // with the start of its process where it was the first there
};

// Thrown by checks. Whatever else is thrown is a failure too.
class CheckFailed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};
class CheckSkipped : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

template <class... Args>
[[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) {
  throw CheckFailed(fmt::format(format, std::forward<Args>(args)...));
}
template <class... Args>
[[noreturn]] void skip(fmt::format_string<Args...> format, Args&&... args) {
  throw CheckSkipped(fmt::format(format, std::forward<Args>(args)...));
}

// Runs it; nothing is thrown.
Verdict judge(const Check& check);

}  // namespace loci::verify
