// Failures of the runner as errors.
#pragma once

#include <loci/error.hpp>
#include <utility>
#include <vector>

#include "tools/loci/failure.h"

namespace loci::fuzz {

// The runner's failures with these exit codes have these codes in a Reading.
inline const std::vector<ErrorCode> kUsageErrors{ErrorCode::kInvalidArgument};
inline const std::vector<ErrorCode> kFeedErrors{ErrorCode::kInvalidArgument, ErrorCode::kDataLoss,
                                                ErrorCode::kFailed};

inline ErrorCode code_of(runner::ExitCode code) {
  switch (code) {
    case runner::ExitCode::kUsage: return ErrorCode::kInvalidArgument;
    case runner::ExitCode::kBadInput: return ErrorCode::kDataLoss;
    case runner::ExitCode::kFailed: return ErrorCode::kFailed;
    default: return ErrorCode::kInternal;
  }
}

// Calls `parse`; an Error that it lets escape has not been told to be of the user's text, and is
// kInternal.
template <class Parse>
void with_usage_errors(Parse&& parse) {
  try {
    std::forward<Parse>(parse)();
  } catch (const runner::Failure& failure) {
    throw Error(code_of(failure.code()), failure.what(), failure.details());
  } catch (const Error& error) {
    throw Error(ErrorCode::kInternal, error.what());
  }
}

}  // namespace loci::fuzz
