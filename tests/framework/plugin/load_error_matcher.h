// Expecting a LoadError.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "framework/plugin/load_error.h"

namespace loci::test {

// The LoadError that `work` throws; a failure of the test if it throws none.
template <class Work>
plugin::LoadError load_error_of(Work&& work) {
  try {
    work();
  } catch (const plugin::LoadError& error) {
    EXPECT_FALSE(error.cause().empty());
    EXPECT_FALSE(error.remedy().empty());
    EXPECT_EQ(error.cause().find('\n'), std::string::npos) << error.cause();
    return error;
  }
  ADD_FAILURE() << "nothing was thrown";
  return {ErrorCode::kInternal, "nothing was thrown", ""};
}

}  // namespace loci::test
