// PTX that can not be taken or can not end, and launches that can not be: the driver's code, and
// one text that says what is wrong.
#include "double_fixture.h"
#include "kernels.h"

namespace loci::cuda_rules {
namespace {

constexpr const char* kHead = ".version 8.0\n.target sm_80\n.address_size 64\n";

// endless(), recurses(), and pair(u64, u32).
constexpr const char* kNeverEnds = R"(.version 8.0
.target sm_80
.address_size 64
.func again(.param .b32 n) {
  .reg .b32 %r<3>;
  .local .align 4 .b8 frame[1024];
  ld.param.b32 %r1, [n];
  add.u32 %r2, %r1, 1;
  .param .b32 next;
  st.param.b32 [next], %r2;
  call.uni again, (next);
  ret;
}
.visible .entry recurses() {
  .param .b32 first;
  st.param.b32 [first], 0;
  call.uni again, (first);
  ret;
}
.visible .entry endless() {
again_and_again:
  bra again_and_again;
}
.visible .entry pair(.param .u64 address, .param .u32 value) {
  ret;
}
)";

class BadPtxFresh : public DoubleFresh {
 protected:
  static std::string log_of(const std::string& text, CUresult expected) {
    char log[500] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void* values[] = {log, reinterpret_cast<void*>(sizeof log)};
    CUmodule module = nullptr;
    EXPECT_EQ(cu().cuModuleLoadDataEx(&module, text.c_str(), 2, options, values), expected);
    return log;
  }
  static CUfunction function(const char* name) {
    CUmodule module = nullptr;
    must(cu().cuModuleLoadData(&module, kNeverEnds));
    CUfunction found = nullptr;
    must(cu().cuModuleGetFunction(&found, module, name));
    return found;
  }
  static CUresult run(CUfunction launched, unsigned grid = 1) {
    must(cu().cuLaunchKernel(launched, grid, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
    return cu().cuCtxSynchronize();
  }
  // Returns what is said of a call that is refused.
  template <typename Refused>
  static std::string said(CUresult expected, const Refused& call) {
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(call(), expected);
    return ::testing::internal::GetCapturedStderr();
  }
  static void expect_in(const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  }
};

TEST_F(BadPtxFresh, TextThatIsCutOff) {
  start("");
  const std::string text = std::string(kHead) + ".visible .entry cut() {\n  ret;\n";
  expect_in(log_of(text, CUDA_ERROR_INVALID_PTX), ":6] ");
  expect_in(log_of(text, CUDA_ERROR_INVALID_PTX), "the end of the text");
}

TEST_F(BadPtxFresh, TextOfANewerInstructionSet) {
  start("");
  expect_in(
      log_of(".version 9.9\n.target sm_90\n.address_size 64\n", CUDA_ERROR_UNSUPPORTED_PTX_VERSION),
      "is PTX ISA 9.9, and 9.0 is the newest that is known");
}

TEST_F(BadPtxFresh, TextForANewerDevice) {
  start("capability=8.0");
  expect_in(log_of(".version 8.0\n.target sm_90\n.address_size 64\n", CUDA_ERROR_INVALID_PTX),
            "is for sm_90, and the device is sm_80");
}

TEST_F(BadPtxFresh, AFunctionThatIsNotThere) {
  start("log=errors");
  CUmodule module = nullptr;
  must(cu().cuModuleLoadData(&module, kNeverEnds));
  CUfunction found = nullptr;
  expect_in(
      said(CUDA_ERROR_NOT_FOUND, [&] { return cu().cuModuleGetFunction(&found, module, "other"); }),
      "cuModuleGetFunction #1: CUDA_ERROR_NOT_FOUND: the module has no kernel other");
}

TEST_F(BadPtxFresh, AnEndlessLoop) {
  start("instructions=10000");
  EXPECT_EQ(run(function("endless")), CUDA_ERROR_LAUNCH_TIMEOUT);
  ASSERT_EQ(finding_count(), 1u);
  expect_in(finding(0), "error: cuLaunchKernel #1 endless: [endless]");
  expect_in(finding(0), "it may never end");
}

TEST_F(BadPtxFresh, RecursionWithoutAnEnd) {
  start("");
  EXPECT_EQ(run(function("recurses")), CUDA_ERROR_HARDWARE_STACK_ERROR);
  ASSERT_EQ(finding_count(), 1u);
  expect_in(finding(0), "error: cuLaunchKernel #1 recurses: [recurses]");
  expect_in(finding(0), "has no room");
}

TEST_F(BadPtxFresh, AGridThatIsHuge) {
  start("instructions=10000");
  EXPECT_EQ(run(kernel("empty"), 0x7fffffff), CUDA_ERROR_LAUNCH_TIMEOUT);
  ASSERT_EQ(finding_count(), 1u);
  expect_in(finding(0), "it may never end");
}

TEST_F(BadPtxFresh, AGridThatCannotBe) {
  start("log=errors");
  const CUfunction empty = kernel("empty");
  expect_in(said(CUDA_ERROR_INVALID_VALUE,
                 [&] {
                   return cu().cuLaunchKernel(empty, 1, 65536, 1, 1, 1, 1, 0, nullptr, nullptr,
                                              nullptr);
                 }),
            "an extent of the launch is 0 or beyond the device's limit");
}

TEST_F(BadPtxFresh, ParametersOfAnotherSize) {
  start("log=errors");
  const CUfunction pair = function("pair");
  char values[64] = "";
  std::size_t bytes = sizeof values;
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, values, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                   CU_LAUNCH_PARAM_END};
  const auto launch = [&](void** in_buffer) {
    return cu().cuLaunchKernel(pair, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, in_buffer);
  };
  expect_in(said(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, [&] { return launch(extra); }),
            "the buffer has more bytes than the kernel has parameters");
  expect_in(said(CUDA_ERROR_INVALID_VALUE, [&] { return launch(nullptr); }),
            "the kernel needs parameters");
  EXPECT_EQ(finding_count(), 0u) << finding(0);
  bytes = 8;  // a device takes that
  EXPECT_EQ(launch(extra), CUDA_SUCCESS);
  must(cu().cuCtxSynchronize());
  ASSERT_EQ(finding_count(), 1u);
  EXPECT_EQ(finding(0), "parameters: cuLaunchKernel #3 pair has 8 of 12 bytes of parameters");
}

}  // namespace
}  // namespace loci::cuda_rules
