#include "driver_test.h"

namespace loci::cuda_rules {
namespace {

using Error = OpenedDriverTest;

TEST_F(Error, NamesAndTextsOfAllCodes) {
  for (int code = 0; code < 1000; ++code) {
    const char* name = nullptr;
    const char* text = nullptr;
    const auto result = static_cast<CUresult>(code);
    if (cu().cuGetErrorName(result, &name) != CUDA_SUCCESS) continue;
    EXPECT_EQ(cu().cuGetErrorString(result, &text), CUDA_SUCCESS);
    ASSERT_NE(text, nullptr) << name;
    record(std::to_string(code), std::string(name) + ": " + text);
  }
}

TEST_F(Error, UnknownCodes) {
  const char* name = "before";
  expect("name", cu().cuGetErrorName(static_cast<CUresult>(12345), &name),
         CUDA_ERROR_INVALID_VALUE);
  expect_value("name is null", name == nullptr, true);
  const char* text = "before";
  expect("text", cu().cuGetErrorString(static_cast<CUresult>(12345), &text),
         CUDA_ERROR_INVALID_VALUE);
  expect_value("text is null", text == nullptr, true);
}

}  // namespace
}  // namespace loci::cuda_rules
