// Gives the message of the failure that a call ends with.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "tools/loci/failure.h"

namespace loci::runner {

// The message of the Failure that `work` throws, which must have this exit code.
template <class Work>
std::string failure_of(ExitCode code, Work&& work) {
  try {
    work();
  } catch (const Failure& failure) {
    EXPECT_EQ(static_cast<int>(failure.code()), static_cast<int>(code));
    return failure.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

}  // namespace loci::runner
