#include "tools/loci/failure.h"

namespace loci::runner {

std::string exit_code_help() {
  return "Exit codes:\n"
         "  0  ok\n"
         "  1  a check failed\n"
         "  2  usage: an option, or a name that the model does not have\n"
         "  3  a bad model or bad data\n"
         "  4  a plugin or device is not available\n"
         "  5  failed while running\n"
         "  6  a policy was violated\n";
}

ExitCode exit_code(ErrorCode error, Phase phase) {
  const bool devices = phase == Phase::kDevices;
  switch (error) {
    case ErrorCode::kInvalidArgument:
      return phase == Phase::kOptions || devices ? ExitCode::kUsage : ExitCode::kBadInput;
    case ErrorCode::kNotFound:
      if (phase == Phase::kOptions) return ExitCode::kUsage;
      return devices ? ExitCode::kNotAvailable : ExitCode::kBadInput;
    case ErrorCode::kUnavailable: return ExitCode::kNotAvailable;
    // In a model: a form or an operator that this version does not know. Else: no kernel.
    case ErrorCode::kUnsupported:
    case ErrorCode::kIncompatible:
      return phase == Phase::kModel ? ExitCode::kBadInput : ExitCode::kNotAvailable;
    case ErrorCode::kOutOfMemory: return ExitCode::kFailed;
    case ErrorCode::kDataLoss: return devices ? ExitCode::kNotAvailable : ExitCode::kBadInput;
    case ErrorCode::kFailed: return devices ? ExitCode::kNotAvailable : ExitCode::kFailed;
    case ErrorCode::kPermissionDenied:
      if (devices) return ExitCode::kNotAvailable;
      return phase == Phase::kModel ? ExitCode::kBadInput : ExitCode::kFailed;
    case ErrorCode::kPolicy: return ExitCode::kPolicy;
    case ErrorCode::kInternal: return ExitCode::kFailed;
    case ErrorCode::kDeviceLost: return devices ? ExitCode::kNotAvailable : ExitCode::kFailed;
  }
  return ExitCode::kFailed;
}

// Long texts are cut as an Error's are.
Failure::Failure(ExitCode code, const std::string& message, std::string details)
    : Failure(code, Error(ErrorCode::kFailed, message, std::move(details))) {}

Failure::Failure(ExitCode code, const Error& error)
    : std::runtime_error(error.what()), code_(code), details_(error.details()) {}

}  // namespace loci::runner
