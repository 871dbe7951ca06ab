// How the runner ends: exit codes, and the exception that carries one.
#pragma once

#include <loci/error.hpp>
#include <stdexcept>
#include <string>
#include <utility>

namespace loci::runner {

enum class ExitCode : int {
  kOk = 0,
  kCheckFailed = 1,
  kUsage = 2,         // an option, or a name that the model does not have
  kBadInput = 3,      // a bad model or bad data
  kNotAvailable = 4,  // a plugin or device
  kFailed = 5,        // while running
  kPolicy = 6,        // violated
};

// The list of exit codes for `loci --help`.
std::string exit_code_help();

// The phases of the runner. An error means another thing in each: a file that is not there is a bad
// model, or a plugin that is not available.
enum class Phase { kOptions, kDevices, kModel, kRun };

ExitCode exit_code(ErrorCode error, Phase phase);

// Ends the runner: the message is one line, details are the lines to follow.
class Failure : public std::runtime_error {
 public:
  Failure(ExitCode code, const std::string& message, std::string details = {});
  Failure(ExitCode code, const Error& error);

  [[nodiscard]] ExitCode code() const noexcept { return code_; }
  [[nodiscard]] const std::string& details() const noexcept { return details_; }

 private:
  ExitCode code_;
  std::string details_;
};

// Calls `work` and turns an Error out of it into the Failure that it means in this phase.
template <class Work>
decltype(auto) in_phase(Phase phase, Work&& work) {
  try {
    return std::forward<Work>(work)();
  } catch (const Error& error) {
    throw Failure(exit_code(error.code(), phase), error);
  }
}

}  // namespace loci::runner
