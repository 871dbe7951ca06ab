#include "framework/eager/host_function.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/error.hpp>
#include <new>
#include <stdexcept>

namespace loci::eager {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(HostFunctionTest, WhatItThrowsIsAnError) {
  int calls = 0;
  run_host_function([&] { ++calls; });
  EXPECT_EQ(calls, 1);
  EXPECT_THAT([] { run_host_function([] { throw std::runtime_error("full"); }); },
              ThrowsMessage<Error>(HasSubstr("full")));
  EXPECT_THAT([] { run_host_function([] { throw 3; }); },
              ThrowsMessage<Error>(HasSubstr("no std::exception")));
  EXPECT_THROW(run_host_function([] { throw std::bad_alloc(); }), std::bad_alloc);
}

TEST(HostFunctionTest, AnErrorKeepsItsCode) {
  try {
    run_host_function([] { throw Error(ErrorCode::kDataLoss, "damaged", "details"); });
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kDataLoss);
    EXPECT_EQ(error.details(), "details");
  }
}

}  // namespace
}  // namespace loci::eager
