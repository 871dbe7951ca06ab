#include "driver_test.h"
#include "kernels.h"

namespace loci::cuda_rules {
namespace {

using Library = DriverTest;

CUlibrary load(const char* image) {
  CUlibrary library = nullptr;
  must(cu().cuLibraryLoadData(&library, image, nullptr, nullptr, 0, nullptr, nullptr, 0));
  return library;
}

TEST_F(Library, Kernels) {
  const CUlibrary library = load(kKernels);
  CUkernel store = nullptr;
  expect("found", cu().cuLibraryGetKernel(&store, library, "store"), CUDA_SUCCESS);
  CUkernel missing = nullptr;
  expect("missing", cu().cuLibraryGetKernel(&missing, library, "missing"), CUDA_ERROR_NOT_FOUND);
  unsigned count = 0;
  expect("count", cu().cuLibraryGetKernelCount(&count, library), CUDA_SUCCESS);
  expect_value("how many", count, 13);
  const char* name = nullptr;
  expect("cuKernelGetName", cu().cuKernelGetName(&name, store), CUDA_SUCCESS);
  expect_text("name", name, "store");
  std::size_t offset = 0;
  std::size_t size = 0;
  expect("parameter 1", cu().cuKernelGetParamInfo(store, 1, &offset, &size), CUDA_SUCCESS);
  expect_value("offset", offset, 8);
  expect_value("size", size, 4);
  expect("parameter 2", cu().cuKernelGetParamInfo(store, 2, &offset, &size),
         CUDA_ERROR_INVALID_VALUE);
  int threads = 0;
  expect(
      "attribute",
      cu().cuKernelGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, store, device()),
      CUDA_SUCCESS);
  record("threads", threads);
  expect("set attribute",
         cu().cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1024, store,
                                   device()),
         CUDA_SUCCESS);
  must(cu().cuLibraryUnload(library));
}

TEST_F(Library, FunctionsAndLaunches) {
  const CUlibrary library = load(kKernels);
  CUkernel store = nullptr;
  must(cu().cuLibraryGetKernel(&store, library, "store"));
  CUfunction function = nullptr;
  expect("cuKernelGetFunction", cu().cuKernelGetFunction(&function, store), CUDA_SUCCESS);
  DeviceMemory memory(4);
  CUdeviceptr address = memory;
  std::uint32_t value = 3;
  void* parameters[] = {&address, &value};
  expect("launch", cu().cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr),
         CUDA_SUCCESS);
  expect_value("stored", memory.word(), 3U);
  value = 4;
  expect("launch by the kernel itself",
         cu().cuLaunchKernel(reinterpret_cast<CUfunction>(store), 1, 1, 1, 1, 1, 1, 0, nullptr,
                             parameters, nullptr),
         CUDA_SUCCESS);
  expect_value("stored again", memory.word(), 4U);
  CUmodule module = nullptr;
  expect("cuLibraryGetModule", cu().cuLibraryGetModule(&module, library), CUDA_SUCCESS);
  expect("unload that module", cu().cuModuleUnload(module), CUDA_ERROR_NOT_PERMITTED);
  must(cu().cuLibraryUnload(library));
}

TEST_F(Library, Globals) {
  const CUlibrary library = load(kKernels);
  CUdeviceptr address = 0;
  std::size_t bytes = 0;
  expect("found", cu().cuLibraryGetGlobal(&address, &bytes, library, "counter"), CUDA_SUCCESS);
  expect_value("bytes", bytes, 4);
  expect("missing", cu().cuLibraryGetGlobal(&address, &bytes, library, "missing"),
         CUDA_ERROR_NOT_FOUND);
  expect("unload", cu().cuLibraryUnload(library), CUDA_SUCCESS);
}

TEST_F(Library, Errors) {
  CUlibrary library = nullptr;
  record(
      "bad text",
      cu().cuLibraryLoadData(
          &library, ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k() { bad; }\n",
          nullptr, nullptr, 0, nullptr, nullptr, 0));
  expect("null",
         cu().cuLibraryLoadData(&library, nullptr, nullptr, nullptr, 0, nullptr, nullptr, 0),
         CUDA_ERROR_INVALID_VALUE);
  record("unload null", cu().cuLibraryUnload(nullptr));
}

}  // namespace
}  // namespace loci::cuda_rules
