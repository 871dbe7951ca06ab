// Tests what the double of cuDNN computes, and what it refuses.
#include <memory>
#include <utility>

#include "capture.h"
#include "cudnn_table.h"
#include "device_floats.h"

namespace loci::cuda_rules {
namespace {

using CudnnFloats = std::vector<float>;

constexpr int kImplicit = 0;
constexpr int kPrecomputed = 1;
constexpr int kFftTiling = 5;

// The operands of a test, in the context that its fixture makes current.
struct CudnnOperands {
  Stream stream;
  DeviceFloats x{CudnnFloats{1, 2, 3, 4, 5, 6, 7, 8, 9}};
  DeviceFloats w{CudnnFloats{1, 10, 100, 1000}};
  DeviceFloats y{CudnnFloats(5, 0)};
  DeviceFloats out{CudnnFloats(9, 0)};
  DeviceMemory workspace{4096};
  SmallConvolution small;
};

const CudnnFloats kForwardResult{5421, 6532, 8754, 9865};

class CudnnRulesTest : public DriverTest {
 protected:
  void SetUp() override {
    DriverTest::SetUp();
    if (IsSkipped()) return;
    on_ = std::make_unique<CudnnOperands>();
    SmallConvolution& small = on_->small;
    small.x = on_->x;
    small.w = on_->w;
    small.y = on_->y;
    small.workspace = on_->workspace;
    small.workspace_bytes = 4096;
    must_convolve(cudnn("cudnnSetStream", small.handle, static_cast<CUstream>(on_->stream)));
  }
  void TearDown() override {
    on_.reset();
    DriverTest::TearDown();
  }

  [[nodiscard]] CudnnFloats first_results() const {
    on_->stream.synchronize();
    CudnnFloats results = on_->y.values();
    results.resize(4);
    return results;
  }
  // The status, and what was said on stderr.
  template <class Call>
  static std::string refused(Call&& call) {
    ::testing::internal::CaptureStderr();
    const int status = call();
    return cudnn_status(status) + "\n" + ::testing::internal::GetCapturedStderr();
  }
  static std::string mistake(const std::string& function, const std::string& status,
                             const std::string& why) {
    return status + "\n[cuda double] " + function + ": " + status + ": " + why + "\n";
  }

  std::unique_ptr<CudnnOperands> on_;
};

TEST_F(CudnnRulesTest, ConvolvesByEitherAlgorithm) {
  for (const int algorithm : {kImplicit, kPrecomputed}) {
    must_convolve(on_->small.forward(algorithm));
    EXPECT_EQ(first_results(), kForwardResult) << algorithm;
  }
}

TEST_F(CudnnRulesTest, ScalesAndAdds) {
  must_convolve(on_->small.forward(kImplicit));
  on_->small.alpha = 2;
  on_->small.beta = 10;
  must_convolve(on_->small.forward(kPrecomputed));
  CudnnFloats expected = kForwardResult;
  for (float& element : expected) element *= 12;
  EXPECT_EQ(first_results(), expected);
}

TEST_F(CudnnRulesTest, EndsWithResidualBiasAndActivation) {
  const DeviceFloats residual(CudnnFloats{1, 2, 3, 4});
  const DeviceFloats bias(CudnnFloats{-8000});
  on_->small.beta = 1;
  must_convolve(on_->small.forward_ending(kPrecomputed, kIdentity, residual, bias));
  EXPECT_EQ(first_results(), (CudnnFloats{-2578, -1466, 757, 1869}));
  must_convolve(on_->small.forward_ending(kImplicit, kRelu, residual, bias));
  EXPECT_EQ(first_results(), (CudnnFloats{0, 0, 757, 1869}));
}

TEST_F(CudnnRulesTest, ComputesBothGradients) {
  must(cu().cuMemcpyHtoD(on_->y, CudnnFloats{1, 2, 3, 4}.data(), 4 * sizeof(float)));
  must_convolve(on_->small.image_grad(on_->out));
  on_->stream.synchronize();
  EXPECT_EQ(on_->out.values(), (CudnnFloats{1, 12, 20, 103, 1234, 2040, 300, 3400, 4000}));
  must_convolve(on_->small.filter_grad(on_->out));
  on_->stream.synchronize();
  CudnnFloats weights = on_->out.values();
  weights.resize(4);
  EXPECT_EQ(weights, (CudnnFloats{37, 47, 67, 77}));
}

TEST_F(CudnnRulesTest, TellsAlgorithmsThatACallerMayNotWantFirst) {
  const auto forward = on_->small.forward_algorithms();
  ASSERT_EQ(forward.size(), 3U);
  EXPECT_EQ(forward[0].algorithm, kFftTiling);
  EXPECT_EQ(forward[1].algorithm, kPrecomputed);
  EXPECT_EQ(forward[1].memory, 2 * 4 * sizeof(float));
  EXPECT_EQ(forward[2].memory, 0U);
  const auto filter = on_->small.filter_algorithms();
  ASSERT_EQ(filter.size(), 2U);
  EXPECT_EQ(filter[0].determinism, 0);
  EXPECT_EQ(filter[1].determinism, 1);
}

TEST_F(CudnnRulesTest, ReturnsBeforeTheWorkIsDone) {
  Gate gate;
  gate.close(on_->stream);
  must_convolve(on_->small.forward(kImplicit));
  EXPECT_EQ(cu().cuStreamQuery(on_->stream), CUDA_ERROR_NOT_READY);
  gate.open();
  EXPECT_EQ(first_results(), kForwardResult);
}

TEST_F(CudnnRulesTest, IsNodesOfACapturedStream) {
  begin_capture(on_->stream);
  must_convolve(on_->small.forward(kPrecomputed));
  const Captured captured(on_->stream);
  EXPECT_EQ(node_types(captured.graph), "kernel kernel");
  EXPECT_EQ(on_->y.values()[0], 0);
  run_once(captured.graph, on_->stream);
  EXPECT_EQ(first_results(), kForwardResult);
}

TEST_F(CudnnRulesTest, RefusesAWorkspaceThatIsTooSmallOrNotAligned) {
  SmallConvolution& small = on_->small;
  const auto forward = [&] { return small.forward(kPrecomputed); };
  small.workspace_bytes = 8;
  EXPECT_EQ(refused(forward),
            mistake("cudnnConvolutionForward", "CUDNN_STATUS_BAD_PARAM_SIZE_INSUFFICIENT",
                    "the workspace has 8 bytes, and the algorithm needs 32"));
  small.workspace_bytes = 4000;
  small.workspace = on_->workspace + 16;
  EXPECT_EQ(refused(forward),
            mistake("cudnnConvolutionForward", "CUDNN_STATUS_BAD_PARAM_MISALIGNED_POINTER",
                    "the workspace is not aligned to 256 bytes"));
}

TEST_F(CudnnRulesTest, RefusesWhatDoesNotFit) {
  SmallConvolution& small = on_->small;
  const std::string name = "cudnnConvolutionForward";
  small.y = on_->y + sizeof(float);
  EXPECT_EQ(refused([&] { return small.forward(kImplicit); }),
            mistake(name, "CUDNN_STATUS_BAD_PARAM_MISALIGNED_POINTER",
                    "what is computed lies at an address that is no multiple of 16"));
  small.y = on_->y;
  EXPECT_EQ(refused([&] { return small.forward(kFftTiling); }),
            mistake(name, "CUDNN_STATUS_BAD_PARAM", "the double does not compute by algorithm 5"));
  small.set_result(3, 2);
  EXPECT_EQ(refused([&] { return small.forward(kImplicit); }),
            mistake(name, "CUDNN_STATUS_BAD_PARAM", "the result has an extent of 3, and 2 fits"));
}

// An answer of the library's is no mistake, and nothing is said.
TEST_F(CudnnRulesTest, AddsABiasWithoutAnActivationByOneAlgorithmAlone) {
  const DeviceFloats bias(CudnnFloats{1});
  EXPECT_EQ(refused([&] { return on_->small.forward_ending(kImplicit, kIdentity, on_->y, bias); }),
            "CUDNN_STATUS_NOT_SUPPORTED\n");
}

TEST_F(CudnnRulesTest, RefusesAHandleThatIsGoneOrOfAnotherContext) {
  void* gone = nullptr;
  must_convolve(cudnn("cudnnCreate", &gone));
  must_convolve(cudnn("cudnnDestroy", gone));
  void* const handle = std::exchange(on_->small.handle, gone);
  EXPECT_EQ(refused([&] { return on_->small.forward(kImplicit); }),
            mistake("cudnnConvolutionForward", "CUDNN_STATUS_NOT_INITIALIZED",
                    "there is no such handle"));
  on_->small.handle = handle;
  must(cu().cuCtxSetCurrent(nullptr));
  EXPECT_EQ(refused([&] { return on_->small.forward(kImplicit); }),
            mistake("cudnnConvolutionForward", "CUDNN_STATUS_BAD_PARAM",
                    "another context is current than the handle's"));
  EXPECT_EQ(refused([&] { return cudnn("cudnnCreate", &gone); }),
            mistake("cudnnCreate", "CUDNN_STATUS_NOT_INITIALIZED", "no context is current"));
  must(cu().cuCtxSetCurrent(context()));
}

TEST_F(CudnnRulesTest, FailsOnDemandOnce) {
  const auto plan = reinterpret_cast<void (*)(unsigned long long, int)>(
      cudnn_function("loci_cudnn_double_plan_failure"));
  const auto count = reinterpret_cast<unsigned long long (*)(const char*)>(
      cudnn_function("loci_cudnn_double_call_count"));
  const unsigned long long before = count("cudnnConvolutionForward");
  plan(2, 4000);
  must_convolve(on_->small.forward(kImplicit));
  EXPECT_EQ(cudnn_status(on_->small.forward(kImplicit)), "CUDNN_STATUS_INTERNAL_ERROR");
  must_convolve(on_->small.forward(kImplicit));
  EXPECT_EQ(count("cudnnConvolutionForward"), before + 3);
}

}  // namespace
}  // namespace loci::cuda_rules
