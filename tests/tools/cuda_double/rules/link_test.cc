#include <cstring>

#include "driver_test.h"
#include "kernels.h"

namespace loci::cuda_rules {
namespace {

using Link = DriverTest;

CUresult add(CUlinkState link, const char* text, const char* name) {
  return cu().cuLinkAddData(link, CU_JIT_INPUT_PTX, const_cast<char*>(text), std::strlen(text) + 1,
                            name, 0, nullptr, nullptr);
}

TEST_F(Link, JoinsModules) {
  CUlinkState link = nullptr;
  expect("create", cu().cuLinkCreate(0, nullptr, nullptr, &link), CUDA_SUCCESS);
  expect("add the caller", add(link, kCallerKernel, "caller"), CUDA_SUCCESS);
  expect("add the called", add(link, kCalledFunction, "called"), CUDA_SUCCESS);
  void* image = nullptr;
  std::size_t bytes = 0;
  expect("complete", cu().cuLinkComplete(link, &image, &bytes), CUDA_SUCCESS);
  EXPECT_GT(bytes, 0u);
  CUmodule module = nullptr;
  expect("load", cu().cuModuleLoadData(&module, image), CUDA_SUCCESS);
  expect("destroy", cu().cuLinkDestroy(link), CUDA_SUCCESS);
  CUfunction function = nullptr;
  must(cu().cuModuleGetFunction(&function, module, "call_twice"));
  DeviceMemory memory(4);
  CUdeviceptr address = memory;
  std::uint32_t value = 21;
  void* parameters[] = {&address, &value};
  must(cu().cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr));
  expect_value("twice 21", memory.word(), 42U);
  must(cu().cuModuleUnload(module));
}

TEST_F(Link, NamesWhatIsMissing) {
  char errors[4096] = "";
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {errors, reinterpret_cast<void*>(sizeof errors)};
  CUlinkState link = nullptr;
  must(cu().cuLinkCreate(2, options, values, &link));
  must(add(link, kCallerKernel, "caller"));
  void* image = nullptr;
  std::size_t bytes = 0;
  record("complete", cu().cuLinkComplete(link, &image, &bytes));
  record("log", errors);
  EXPECT_NE(std::string(errors).find("twice"), std::string::npos);
  must(cu().cuLinkDestroy(link));
}

TEST_F(Link, Errors) {
  CUlinkState link = nullptr;
  must(cu().cuLinkCreate(0, nullptr, nullptr, &link));
  record("bad text",
         add(link, ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k() { bad; }\n",
             "bad"));
  void* image = nullptr;
  std::size_t bytes = 0;
  record("complete after it", cu().cuLinkComplete(link, &image, &bytes));
  must(cu().cuLinkDestroy(link));
  must(cu().cuLinkCreate(0, nullptr, nullptr, &link));
  record("complete of nothing", cu().cuLinkComplete(link, &image, &bytes));
  record("a library that is none",
         cu().cuLinkAddData(link, CU_JIT_INPUT_LIBRARY, const_cast<char*>("no library"), 10, "none",
                            0, nullptr, nullptr));
  must(cu().cuLinkDestroy(link));
  expect("no result", cu().cuLinkCreate(0, nullptr, nullptr, nullptr), CUDA_ERROR_INVALID_VALUE);
}

}  // namespace
}  // namespace loci::cuda_rules
