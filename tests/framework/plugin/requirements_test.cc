#include "framework/plugin/requirements.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/framework/plugin/load_error_matcher.h"

namespace loci::plugin {
namespace {

using test::load_error_of;
using testing::HasSubstr;

Manifest needing(const std::string& feature) {
  Manifest manifest;
  manifest.isa = {feature};
  return manifest;
}

TEST(Requirements, AcceptsWhatTheProcessorHas) {
  check_isa(Manifest());
#if defined(__x86_64__)
  if (__builtin_cpu_supports("sse3") != 0) check_isa(needing("sse3"));
  if (__builtin_cpu_supports("avx2") != 0) check_isa(needing("avx2"));
#endif
}

TEST(Requirements, RefusesWhatItLacksOrDoesNotKnow) {
  const LoadError unknown = load_error_of([] { check_isa(needing("avx3")); });
  EXPECT_EQ(unknown.code(), ErrorCode::kUnavailable);
  EXPECT_THAT(unknown.cause(), HasSubstr("the CPU feature 'avx3', which is not known here"));
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512bf16") != 0) GTEST_SKIP() << "this processor has everything";
  EXPECT_THAT(load_error_of([] { check_isa(needing("avx512bf16")); }).cause(),
              HasSubstr("'avx512bf16', which this processor lacks"));
#endif
}

TEST(Requirements, SanitizersHaveToAgree) {
  Manifest manifest;
  check_sanitizer(manifest);
  manifest.sanitizer = host_sanitizer();
  check_sanitizer(manifest);
  manifest.sanitizer = host_sanitizer() == "thread" ? "address" : "thread";
  const LoadError error = load_error_of([&manifest] { check_sanitizer(manifest); });
  EXPECT_EQ(error.code(), ErrorCode::kIncompatible);
  EXPECT_THAT(error.cause(), HasSubstr("built with the " + manifest.sanitizer + " sanitizer"));
}

}  // namespace
}  // namespace loci::plugin
