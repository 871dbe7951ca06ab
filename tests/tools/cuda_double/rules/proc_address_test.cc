#include "driver_test.h"

namespace loci::cuda_rules {
namespace {

using ProcAddress = DriverTest;

struct Answer {
  CUresult code;
  void* function = nullptr;
  CUdriverProcAddressQueryResult found{};
};

Answer ask(const char* name, int version, cuuint64_t flags = CU_GET_PROC_ADDRESS_DEFAULT) {
  Answer answer{};
  answer.code = cu().cuGetProcAddress(name, &answer.function, version, flags, &answer.found);
  return answer;
}

TEST_F(ProcAddress, FindsByVersion) {
  const auto older = ask("cuMemAlloc", 2000);
  const auto newer = ask("cuMemAlloc", 3020);
  expect("old", older.code, CUDA_SUCCESS);
  expect("new", newer.code, CUDA_SUCCESS);
  expect_value("two versions", older.function != newer.function, true);
  expect_value("the newer is that of the header",
               newer.function == reinterpret_cast<void*>(cu().cuMemAlloc), true);
  const auto latest = ask("cuMemAlloc", 13000);
  expect_value("13.0 is the same", latest.function == newer.function, true);
}

TEST_F(ProcAddress, Failures) {
  const auto missing = ask("cuNoSuchFunction", 13000);
  // The manual has CUDA_ERROR_NOT_FOUND for it.
  expect("missing", missing.code, CUDA_SUCCESS);
  expect_value("why", static_cast<int>(missing.found),
               static_cast<int>(CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND));
  expect_value("function is null", missing.function == nullptr, true);
  const auto early = ask("cuGraphAddNode", 11000);
  expect("before it was there", early.code, CUDA_SUCCESS);
  expect_value("why too early", static_cast<int>(early.found),
               static_cast<int>(CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT));
  record("a name with its version", ask("cuMemAlloc_v2", 13000).code);
  record("a version far ahead", ask("cuMemAlloc", 99000).code);
  record("version 0", ask("cuMemAlloc", 0).code);
  record("unknown flags", ask("cuMemAlloc", 13000, 0x100).code);
  record("both kinds of streams",
         ask("cuMemAlloc", 13000,
             CU_GET_PROC_ADDRESS_LEGACY_STREAM | CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM)
             .code);
  void* function = nullptr;
  record("missing without the reason",
         cu().cuGetProcAddress("cuNoSuchFunction", &function, 13000, 0, nullptr));
  record("empty symbol", cu().cuGetProcAddress("", &function, 13000, 0, nullptr));
  expect("without the reason", cu().cuGetProcAddress("cuInit", &function, 13000, 0, nullptr),
         CUDA_SUCCESS);
}

TEST_F(ProcAddress, StreamsOfThreads) {
  const auto legacy = ask("cuStreamQuery", 13000, CU_GET_PROC_ADDRESS_LEGACY_STREAM);
  const auto own = ask("cuStreamQuery", 13000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM);
  expect("legacy", legacy.code, CUDA_SUCCESS);
  expect("of the thread", own.code, CUDA_SUCCESS);
  expect_value("differ", legacy.function != own.function, true);
  const auto query = reinterpret_cast<CUresult (*)(CUstream)>(own.function);
  Gate gate;
  gate.close(CU_STREAM_PER_THREAD);
  expect("null is the thread's stream", query(nullptr), CUDA_ERROR_NOT_READY);
  gate.open();
  must(cu().cuCtxSynchronize());
}

TEST_F(ProcAddress, FindsAllThatTheRulesUse) {
  for (const char* name :
       {"cuInit", "cuStreamBeginCapture", "cuStreamGetCaptureInfo", "cuGraphInstantiate",
        "cuGraphExecUpdate", "cuGraphAddNode", "cuGetProcAddress", "cuLaunchKernelEx",
        "cuMemAllocAsync", "cuEventElapsedTime", "cuCtxCreate", "cuStreamUpdateCaptureDependencies",
        "cuGraphConditionalHandleCreate"}) {
    expect(name, ask(name, 13000).code, CUDA_SUCCESS);
  }
}

}  // namespace
}  // namespace loci::cuda_rules
