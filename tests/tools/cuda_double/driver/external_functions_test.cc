#include "tools/cuda_double/driver/external_functions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loci::cuda_double {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr const char* kCaller =
    ".extern .func (.param .b32 result) twice (.param .b32 value);\n"
    ".extern .func vprintf(.param .b64 a, .param .b64 b);\n.visible .entry k() { ret; }\n";
constexpr const char* kCalled =
    ".visible .func (.param .b32 result) twice(.param .b32 value)\n{\n ret;\n}\n";

TEST(ExternalFunctionsTest, WhatNothingDefinesIsNamed) {
  EXPECT_THAT(unresolved_functions({kCaller}), ElementsAre("twice"));
}

TEST(ExternalFunctionsTest, AnotherTextMayDefineIt) {
  EXPECT_THAT(unresolved_functions({kCaller, kCalled}), IsEmpty());
}

TEST(ExternalFunctionsTest, AttributesAreNoNames) {
  EXPECT_THAT(unresolved_functions({".extern .func .noreturn stop();\n"}), ElementsAre("stop"));
}

TEST(ExternalFunctionsTest, ADeclarationOnSeveralLinesIsRead) {
  EXPECT_THAT(unresolved_functions({".extern .func  (.param .b32 r) \nfar\n(\n);\n"}),
              ElementsAre("far"));
}

TEST(ExternalFunctionsTest, TextWithoutFunctionsHasNone) {
  EXPECT_THAT(unresolved_functions({".version 8.0\n"}), IsEmpty());
}

}  // namespace
}  // namespace loci::cuda_double
