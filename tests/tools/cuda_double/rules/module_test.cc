#include <cstring>
#include <string>

#include "driver_test.h"
#include "kernels.h"

namespace loci::cuda_rules {
namespace {

using Module = DriverTest;

class Loaded {
 public:
  explicit Loaded(const char* image) { must(cu().cuModuleLoadData(&module_, image)); }
  ~Loaded() { cu().cuModuleUnload(module_); }
  Loaded(const Loaded&) = delete;
  Loaded& operator=(const Loaded&) = delete;
  operator CUmodule() const { return module_; }

 private:
  CUmodule module_ = nullptr;
};

struct Compiled {
  CUresult code;
  std::string errors;
};

Compiled compile(const char* image) {
  char errors[4096] = "";
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {errors, reinterpret_cast<void*>(sizeof errors)};
  CUmodule module = nullptr;
  const CUresult code = cu().cuModuleLoadDataEx(&module, image, 2, options, values);
  if (code == CUDA_SUCCESS) must(cu().cuModuleUnload(module));
  return {code, errors};
}

TEST_F(Module, Functions) {
  Loaded module(kKernels);
  CUfunction function = nullptr;
  expect("found", cu().cuModuleGetFunction(&function, module, "store"), CUDA_SUCCESS);
  CUfunction again = nullptr;
  must(cu().cuModuleGetFunction(&again, module, "store"));
  expect_value("the same each time", function == again, true);
  expect("missing", cu().cuModuleGetFunction(&function, module, "missing"), CUDA_ERROR_NOT_FOUND);
  expect("no name", cu().cuModuleGetFunction(&function, module, nullptr), CUDA_ERROR_INVALID_VALUE);
  expect("empty name", cu().cuModuleGetFunction(&function, module, ""), CUDA_ERROR_INVALID_VALUE);
  unsigned count = 0;
  expect("cuModuleGetFunctionCount", cu().cuModuleGetFunctionCount(&count, module), CUDA_SUCCESS);
  expect_value("count", count, 13);
  CUmodule of = nullptr;
  must(cu().cuModuleGetFunction(&function, module, "store"));
  expect("cuFuncGetModule", cu().cuFuncGetModule(&of, function), CUDA_SUCCESS);
  EXPECT_EQ(of, static_cast<CUmodule>(module));
  const char* name = nullptr;
  expect("cuFuncGetName", cu().cuFuncGetName(&name, function), CUDA_SUCCESS);
  expect_text("name", name, "store");
}

TEST_F(Module, IsLoadedApartEachTime) {
  Loaded first(kKernels);
  Loaded second(kKernels);
  CUdeviceptr one = 0;
  CUdeviceptr two = 0;
  std::size_t bytes = 0;
  must(cu().cuModuleGetGlobal(&one, &bytes, first, "counter"));
  must(cu().cuModuleGetGlobal(&two, &bytes, second, "counter"));
  expect_value("globals of its own", one != two, true);
}

TEST_F(Module, Globals) {
  Loaded module(kKernels);
  CUdeviceptr address = 0;
  std::size_t bytes = 0;
  expect("found", cu().cuModuleGetGlobal(&address, &bytes, module, "counter"), CUDA_SUCCESS);
  expect_value("bytes", bytes, 4);
  std::uint32_t value = 0;
  must(cu().cuMemcpyDtoH(&value, address, 4));
  expect_value("initial value", value, 5U);
  CUfunction bump = nullptr;
  must(cu().cuModuleGetFunction(&bump, module, "bump"));
  Stream stream;
  must(cu().cuLaunchKernel(bump, 1, 1, 1, 1, 1, 1, 0, stream, nullptr, nullptr));
  stream.synchronize();
  must(cu().cuMemcpyDtoH(&value, address, 4));
  expect_value("after a kernel", value, 6U);
  must(cu().cuModuleGetGlobal(&address, &bytes, module, "table"));
  expect_value("bytes of the table", bytes, 64);
  CUdeviceptr base = 0;
  std::size_t size = 0;
  record("address range", cu().cuMemGetAddressRange(&base, &size, address));
  record("range begins at the table", base == address);
  expect("missing", cu().cuModuleGetGlobal(&address, &bytes, module, "missing"),
         CUDA_ERROR_NOT_FOUND);
  expect("address alone", cu().cuModuleGetGlobal(&address, nullptr, module, "counter"),
         CUDA_SUCCESS);
  expect("bytes alone", cu().cuModuleGetGlobal(nullptr, &bytes, module, "counter"), CUDA_SUCCESS);
  // The manual has CUDA_ERROR_NOT_FOUND for it.
  expect("a function's name", cu().cuModuleGetGlobal(&address, &bytes, module, "store"),
         CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Module, ConstantsCanBeWritten) {
  Loaded module(kKernels);
  CUdeviceptr factor = 0;
  std::size_t bytes = 0;
  expect("found", cu().cuModuleGetGlobal(&factor, &bytes, module, "factor"), CUDA_SUCCESS);
  CUfunction read = nullptr;
  must(cu().cuModuleGetFunction(&read, module, "read_constant"));
  DeviceMemory memory(4);
  CUdeviceptr address = memory;
  void* parameters[] = {&address};
  must(cu().cuLaunchKernel(read, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr));
  expect_value("initial", memory.word(), 11U);
  const std::uint32_t value = 12;
  expect("write", cu().cuMemcpyHtoD(factor, &value, 4), CUDA_SUCCESS);
  must(cu().cuLaunchKernel(read, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr));
  expect_value("written", memory.word(), 12U);
}

TEST_F(Module, BadTextIsExplained) {
  const auto wrong = compile(
      ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k() {\n  "
      "no.such.instruction;\n  ret;\n}\n");
  expect("unknown instruction", wrong.code, CUDA_ERROR_INVALID_PTX);
  record("its log", wrong.errors);
  EXPECT_NE(wrong.errors, "");
  EXPECT_NE(wrong.errors.find("line 5"), std::string::npos) << wrong.errors;
  const auto truncated =
      compile(".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k() {\n");
  expect("truncated", truncated.code, CUDA_ERROR_INVALID_PTX);
  record("log of the truncated one", truncated.errors);
  const auto undefined = compile(
      ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k() {\n mov.u32 %r1, 0;\n "
      "ret;\n}\n");
  expect("register without declaration", undefined.code, CUDA_ERROR_INVALID_PTX);
  record("its log too", undefined.errors);
}

TEST_F(Module, ImagesThatAreNone) {
  CUmodule module = nullptr;
  expect_one_of("plain text", cu().cuModuleLoadData(&module, "not an image at all"),
                {CUDA_ERROR_INVALID_IMAGE, CUDA_ERROR_INVALID_PTX});
  expect_one_of("empty", cu().cuModuleLoadData(&module, ""),
                {CUDA_ERROR_INVALID_IMAGE, CUDA_ERROR_INVALID_PTX});
  expect("null", cu().cuModuleLoadData(&module, nullptr), CUDA_ERROR_INVALID_VALUE);
  expect("no result", cu().cuModuleLoadData(nullptr, kKernels), CUDA_ERROR_INVALID_VALUE);
  expect("unload null", cu().cuModuleUnload(nullptr), CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(Module, OfANewerInstructionSet) {
  const auto newer =
      compile(".version 19.9\n.target sm_75\n.address_size 64\n.visible .entry k() {\n  ret;\n}\n");
  expect("version", newer.code, CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
  record("log", newer.errors);
  const auto target =
      compile(".version 8.0\n.target sm_999\n.address_size 64\n.visible .entry k() {\n  ret;\n}\n");
  record("target", target.code);
  record("log of the target", target.errors);
  const auto later =
      compile(".version 9.0\n.target sm_121\n.address_size 64\n.visible .entry k() {\n  ret;\n}\n");
  record("target beyond the device", later.code);
  record("its log", later.errors);
}

TEST_F(Module, ExternalFunctionThatIsMissing) {
  const auto missing = compile(kCallerKernel);
  record("code", missing.code);
  EXPECT_NE(missing.code, CUDA_SUCCESS);
  record("log", missing.errors);
}

TEST_F(Module, WithoutFunctions) {
  CUmodule module = nullptr;
  expect("loads", cu().cuModuleLoadData(&module, ".version 8.0\n.target sm_75\n.address_size 64\n"),
         CUDA_SUCCESS);
  unsigned count = 9;
  must(cu().cuModuleGetFunctionCount(&count, module));
  expect_value("count", count, 0);
  must(cu().cuModuleUnload(module));
}

TEST_F(Module, OptionsAnswer) {
  char info[4096] = "";
  char errors[4096] = "x";
  CUjit_option options[] = {CU_JIT_INFO_LOG_BUFFER,  CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
                            CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
                            CU_JIT_LOG_VERBOSE,      CU_JIT_OPTIMIZATION_LEVEL};
  void* values[] = {info,
                    reinterpret_cast<void*>(sizeof info),
                    errors,
                    reinterpret_cast<void*>(sizeof errors),
                    reinterpret_cast<void*>(1),
                    reinterpret_cast<void*>(4)};
  CUmodule module = nullptr;
  expect("load", cu().cuModuleLoadDataEx(&module, kCalledFunction, 6, options, values),
         CUDA_SUCCESS);
  record("info", info);
  record("size of the info", reinterpret_cast<std::uintptr_t>(values[1]));
  record("size of the errors", reinterpret_cast<std::uintptr_t>(values[3]));
  must(cu().cuModuleUnload(module));
  CUjit_option unknown[] = {static_cast<CUjit_option>(999)};
  void* none[] = {nullptr};
  record("unknown option", cu().cuModuleLoadDataEx(&module, kKernels, 1, unknown, none));
}

TEST_F(Module, LoadingMode) {
  CUmoduleLoadingMode mode{};
  expect("cuModuleGetLoadingMode", cu().cuModuleGetLoadingMode(&mode), CUDA_SUCCESS);
  record("mode", static_cast<int>(mode));
}

}  // namespace
}  // namespace loci::cuda_rules
