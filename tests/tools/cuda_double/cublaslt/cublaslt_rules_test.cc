// Tests what the double of cuBLASLt computes, and what it refuses.
#include <bit>
#include <memory>

#include "capture.h"
#include "cublaslt_table.h"
#include "device_floats.h"

namespace loci::cuda_rules {
namespace {

using Floats = std::vector<float>;

constexpr std::int64_t kTerms = 100;

// The operands of a test, in the context that its fixture makes current.
struct Operands {
  Stream stream;
  DeviceFloats a{Floats{1, 2, 3, 4}};
  DeviceFloats b{Floats{5, 6, 7, 8}};
  DeviceFloats d{Floats{0, 0, 0, 0, 0}};
  DeviceFloats ones{Floats(kTerms, 1)};
  DeviceMemory workspace{4096};
};

class CublasLtTest : public DriverTest {
 protected:
  void SetUp() override {
    DriverTest::SetUp();
    if (IsSkipped()) return;
    on_ = std::make_unique<Operands>();
    must(LOCI_LT(cublasLtCreate)(&handle_));
  }
  void TearDown() override {
    if (handle_ != nullptr) must(LOCI_LT(cublasLtDestroy)(handle_));
    on_.reset();
    DriverTest::TearDown();
  }

  // [[1, 3], [2, 4]] by [[5, 7], [6, 8]], whose columns are 1 2, 3 4, 5 6 and 7 8.
  LtProduct small() {
    LtProduct product(2, 2, 2);
    product.handle = handle_;
    product.a = on_->a;
    product.b = on_->b;
    product.d = on_->d;
    return product;
  }
  // One long sum of ones, which is computed in parts.
  LtProduct dot(std::int64_t terms) {
    LtProduct product(1, 1, terms);
    product.handle = handle_;
    product.a = on_->ones;
    product.b = on_->ones;
    product.d = on_->d;
    return product;
  }
  // The status, and what was said on stderr.
  std::string refused(LtProduct& product, cublasLtHandle_t handle) {
    ::testing::internal::CaptureStderr();
    const cublasStatus_t status = product.enqueue(handle, on_->stream);
    return name_of(status) + "\n" + ::testing::internal::GetCapturedStderr();
  }
  std::string refused(LtProduct& product) { return refused(product, handle_); }

  static std::string mistake(const std::string& why) {
    return "CUBLAS_STATUS_INVALID_VALUE\n[cuda double] cublasLtMatmul: "
           "CUBLAS_STATUS_INVALID_VALUE: " +
           why + "\n";
  }

  cublasLtHandle_t handle_ = nullptr;
  std::unique_ptr<Operands> on_;
};

TEST_F(CublasLtTest, MultipliesMatricesByColumns) {
  LtProduct product = small();
  must(product.choose());
  must(product.enqueue(handle_, on_->stream));
  on_->stream.synchronize();
  EXPECT_EQ(on_->d.values(), (Floats{23, 34, 31, 46, 0}));
}

TEST_F(CublasLtTest, TransposesScalesAndAdds) {
  LtProduct product = small();
  const std::int32_t transposed = CUBLAS_OP_T;
  must(LOCI_LT(cublasLtMatmulDescSetAttribute)(&product.operation, CUBLASLT_MATMUL_DESC_TRANSA,
                                               &transposed, sizeof transposed));
  product.alpha = 2;
  product.beta = 10;
  product.c = on_->a;
  must(product.choose());
  must(product.enqueue(handle_, on_->stream));
  on_->stream.synchronize();
  EXPECT_EQ(on_->d.values(), (Floats{2 * 17 + 10, 2 * 39 + 20, 2 * 23 + 30, 2 * 53 + 40, 0}));
}

TEST_F(CublasLtTest, EndsWithABiasOfEachRowAndAnActivation) {
  LtProduct product = small();
  const DeviceFloats bias(Floats{-30, 1});
  product.set_epilogue(CUBLASLT_EPILOGUE_RELU_BIAS, bias);
  must(product.choose());
  must(product.enqueue(handle_, on_->stream));
  on_->stream.synchronize();
  EXPECT_EQ(on_->d.values(), (Floats{0, 35, 1, 47, 0}));
}

// 1 + 2^-12 has more digits than TF32, and 1 + 2^-10 as many.
TEST_F(CublasLtTest, Tf32HasTenBitsOfAFraction) {
  LtProduct product = small();
  must(LOCI_LT(cublasLtMatmulDescInit_internal)(&product.operation, sizeof product.operation,
                                                CUBLAS_COMPUTE_32F_FAST_TF32, CUDA_R_32F));
  const DeviceFloats numbers(Floats{1 + 0x1p-12F, 1 + 0x1p-10F, 0, 0});
  const DeviceFloats unit(Floats{1, 0, 0, 1});
  product.a = numbers;
  product.b = unit;
  must(product.choose());
  must(product.enqueue(handle_, on_->stream));
  on_->stream.synchronize();
  EXPECT_EQ(on_->d.values(), (Floats{1, 1 + 0x1p-10F, 0, 0, 0}));
}

// Halves as words of memory, two and two.
Floats halves(const std::vector<std::uint16_t>& all) {
  Floats words;
  for (std::size_t i = 0; i + 1 < all.size(); i += 2) {
    words.push_back(std::bit_cast<float>(all[i] | std::uint32_t{all[i + 1]} << 16));
  }
  return words;
}

// The numbers are float16, of which 2049 is none.
constexpr std::uint16_t k1 = 0x3c00;
constexpr std::uint16_t k2048 = 0x6800;
constexpr std::uint16_t k2050 = 0x6801;

TEST_F(CublasLtTest, GivesTheSumsOfHalves) {
  LtProduct product = small();
  product.set_types(CUDA_R_16F, CUDA_R_32F);
  const DeviceFloats columns(halves({k2048, k1, k1, k1}));
  const DeviceFloats ones(halves({k1, k1, k1, k1}));
  product.a = columns;
  product.b = ones;
  must(product.choose());
  must(product.enqueue(handle_, on_->stream));
  on_->stream.synchronize();
  EXPECT_EQ(on_->d.values(), (Floats{2049, 2, 2049, 2, 0}));
}

// 2048 + 1 + 1, the last of which is added by beta.
TEST_F(CublasLtTest, RoundsHalvesBeforeTheirEndingUnlessVectorsHaveThem) {
  const auto first_of = [&](std::int64_t rows) {
    constexpr std::int64_t kAll = 8;
    LtProduct product(rows, kAll, kAll);
    product.handle = handle_;
    product.set_types(CUDA_R_16F, CUDA_R_16F);
    std::vector<std::uint16_t> terms(static_cast<std::size_t>(rows * kAll), 0);
    terms.front() = k2048;
    terms[static_cast<std::size_t>(rows)] = k1;
    const DeviceFloats a(halves(terms));
    const DeviceFloats ones(halves(std::vector<std::uint16_t>(kAll * kAll, k1)));
    const DeviceFloats d(Floats(kAll * kAll, 0));
    product.a = a;
    product.b = ones;
    product.c = ones;
    product.d = d;
    product.beta = 1;
    must(product.choose());
    must(product.enqueue(handle_, on_->stream));
    on_->stream.synchronize();
    return std::bit_cast<std::uint32_t>(d.values()[0]) & 0xffff;
  };
  EXPECT_EQ(first_of(8), k2050);
  EXPECT_EQ(first_of(4), k2048) << "columns of 8 bytes";
}

TEST_F(CublasLtTest, AddsUpPartsInTheWorkspace) {
  LtProduct product = dot(kTerms);
  must(product.choose(4096));
  EXPECT_GT(product.chosen.workspaceSize, 0U);
  product.workspace = on_->workspace;
  product.workspace_bytes = product.chosen.workspaceSize;
  must(product.enqueue(handle_, on_->stream));
  on_->stream.synchronize();
  EXPECT_EQ(on_->d.values()[0], kTerms);
}

TEST_F(CublasLtTest, ChoosesByTheWorkspaceThatThereIs) {
  LtProduct product = dot(kTerms);
  must(product.choose(1));
  EXPECT_EQ(product.chosen.workspaceSize, 0U);
}

TEST_F(CublasLtTest, ReturnsBeforeTheWorkIsDone) {
  LtProduct product = small();
  must(product.choose());
  Gate gate;
  gate.close(on_->stream);
  must(product.enqueue(handle_, on_->stream));
  EXPECT_EQ(cu().cuStreamQuery(on_->stream), CUDA_ERROR_NOT_READY);
  gate.open();
  on_->stream.synchronize();
  EXPECT_EQ(on_->d.values()[0], 23);
}

TEST_F(CublasLtTest, IsANodeOfACapturedStream) {
  LtProduct product = small();
  must(product.choose());
  begin_capture(on_->stream);
  must(product.enqueue(handle_, on_->stream));
  const Captured captured(on_->stream);
  EXPECT_EQ(node_types(captured.graph), "kernel");
  EXPECT_EQ(on_->d.values()[0], 0);
  run_once(captured.graph, on_->stream);
  EXPECT_EQ(on_->d.values()[0], 23);
}

TEST_F(CublasLtTest, RefusesAWorkspaceThatIsTooSmallOrNotAligned) {
  LtProduct product = dot(kTerms);
  must(product.choose(4096));
  product.workspace = on_->workspace;
  product.workspace_bytes = 8;
  EXPECT_EQ(refused(product), mistake("the workspace has 8 bytes, and the algorithm needs 12"));
  product.workspace = 0;
  product.workspace_bytes = 4096;
  EXPECT_EQ(refused(product), mistake("the workspace has 0 bytes, and the algorithm needs 12"));
  product.workspace = on_->workspace + 16;
  EXPECT_EQ(refused(product), mistake("the workspace is not aligned to 256 bytes"));
}

TEST_F(CublasLtTest, RefusesAnAddressThatIsLessAlignedThanWasPreferred) {
  LtProduct product = small();
  must(product.choose(0, 256));
  product.d = on_->d + sizeof(float);
  EXPECT_EQ(refused(product), mistake("C lies at an address that is no multiple of 16, which was "
                                      "preferred when the algorithm was asked for"));
  must(product.choose(0, 4));
  must(product.enqueue(handle_, on_->stream));
  on_->stream.synchronize();
  EXPECT_EQ(on_->d.values(), (Floats{0, 23, 34, 31, 46}));
}

TEST_F(CublasLtTest, RefusesTheAlgorithmOfAnotherProblem) {
  LtProduct product = small();
  LtProduct other = dot(2);
  must(other.choose());
  product.chosen = other.chosen;
  EXPECT_EQ(refused(product), mistake("the algorithm is of another problem"));
  product.chosen = {};
  EXPECT_EQ(refused(product), mistake("the algorithm was never initialised, or is something else"));
}

TEST_F(CublasLtTest, RefusesMatricesThatDoNotFit) {
  LtProduct product = small();
  must(LOCI_LT(cublasLtMatrixLayoutInit_internal)(&product.b_layout, sizeof product.b_layout,
                                                  CUDA_R_32F, 3, 2, 3));
  EXPECT_EQ(refused(product), mistake("B is [3, 2], and [2, 2] fits"));
  must(LOCI_LT(cublasLtMatrixLayoutInit_internal)(&product.b_layout, sizeof product.b_layout,
                                                  CUDA_R_32F, 2, 2, 1));
  EXPECT_EQ(refused(product), mistake("B has 2 rows and a leading dimension of 1"));
}

TEST_F(CublasLtTest, RefusesABiasWithoutAnAddress) {
  LtProduct product = small();
  product.set_epilogue(CUBLASLT_EPILOGUE_BIAS, 16);
  must(product.choose());
  product.set_epilogue(CUBLASLT_EPILOGUE_BIAS, 0);
  EXPECT_EQ(refused(product), mistake("the bias has no address"));
}

TEST_F(CublasLtTest, RefusesAHandleThatIsNone) {
  LtProduct product = small();
  must(product.choose());
  cublasLtHandle_t gone = nullptr;
  must(LOCI_LT(cublasLtCreate)(&gone));
  must(LOCI_LT(cublasLtDestroy)(gone));
  EXPECT_EQ(refused(product, gone),
            "CUBLAS_STATUS_NOT_INITIALIZED\n[cuda double] cublasLtMatmul: "
            "CUBLAS_STATUS_NOT_INITIALIZED: there is no such handle\n");
}

TEST_F(CublasLtTest, NeedsTheContextInWhichItWasCreated) {
  LtProduct product = small();
  must(product.choose());
  must(cu().cuCtxSetCurrent(nullptr));
  cublasLtHandle_t handle = nullptr;
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(name_of(LOCI_LT(cublasLtCreate)(&handle)), "CUBLAS_STATUS_NOT_INITIALIZED");
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("no context is current"),
            std::string::npos);
  EXPECT_EQ(refused(product), mistake("another context is current than the handle's"));
  must(cu().cuCtxSetCurrent(context()));
}

// An answer of the heuristics is no mistake, and nothing is said.
TEST_F(CublasLtTest, HasNoProductOfTypesThatItDoesNotKnow) {
  LtProduct product = small();
  must(LOCI_LT(cublasLtMatmulDescInit_internal)(&product.operation, sizeof product.operation,
                                                CUBLAS_COMPUTE_16F, CUDA_R_16F));
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(name_of(product.choose()), "CUBLAS_STATUS_NOT_SUPPORTED");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST_F(CublasLtTest, NamesAnAttributeOrAFunctionThatIsNotThere) {
  LtProduct product = small();
  const std::int32_t value = 0;
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(name_of(LOCI_LT(cublasLtMatmulDescSetAttribute)(
                &product.operation, CUBLASLT_MATMUL_DESC_TRANSC, &value, sizeof value)),
            "CUBLAS_STATUS_INVALID_VALUE");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "[cuda double] cublasLtMatmulDescSetAttribute: CUBLAS_STATUS_INVALID_VALUE: the double "
            "has no attribute 5 of a matmul descriptor\n");
  const auto absent = reinterpret_cast<int (*)()>(cublaslt_function("cublasLtMatmulAlgoGetIds"));
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(absent(), CUBLAS_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(absent(), CUBLAS_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "[cuda double] cublasLtMatmulAlgoGetIds is not there\n");
}

}  // namespace
}  // namespace loci::cuda_rules
