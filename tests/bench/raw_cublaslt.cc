#include "tests/bench/raw_cublaslt.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

namespace loci::bench {
namespace {

constexpr std::uint64_t kWorkspace = std::uint64_t{32} << 20;

void* open_cublaslt() {
  if (const char* chosen = std::getenv("LOCI_CUDA_CUBLASLT")) {
    if (void* library = ::dlopen(chosen, RTLD_NOW | RTLD_LOCAL)) return library;
  }
  int version = 0;
  must(cuda_rules::cu().cuDriverGetVersion(&version), "cuDriverGetVersion");
  for (int major = std::min(version / 1000, 13); major >= 12; --major) {
    const std::string file = fmt::format("libcublasLt.so.{}", major);
    if (void* library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
  }
  throw std::runtime_error("no cuBLASLt");
}

void* function_of(const char* name) {
  static void* const kLibrary = open_cublaslt();
  void* found = ::dlsym(kLibrary, name);
  if (found == nullptr) throw std::runtime_error(fmt::format("cuBLASLt has no {}", name));
  return found;
}

#define LOCI_LT(name) (reinterpret_cast<decltype(&::name)>(function_of(#name)))

void require(cublasStatus_t status, const char* what) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw std::runtime_error(fmt::format("{}: cuBLAS status {}", what, static_cast<int>(status)));
}

std::size_t bytes_of(cudaDataType_t type, std::int64_t elements) {
  return static_cast<std::size_t>(elements) * (type == CUDA_R_32F ? 4 : 2);
}

}  // namespace

// The library's matrices lie by columns: out^T = y^T x^T, so that its A is y.
RawProduct::RawProduct(cudaDataType_t type, cublasComputeType_t compute, std::int64_t m,
                       std::int64_t n, std::int64_t k, const void* x, const void* y)
    : type_(type), x_(x), y_(y), out_(bytes_of(type, m * n)), workspace_(kWorkspace) {
  require(LOCI_LT(cublasLtCreate)(&handle_), "cublasLtCreate");
  require(
      LOCI_LT(cublasLtMatmulDescInit_internal)(&operation_, sizeof operation_, compute, CUDA_R_32F),
      "describing a product");
  describe(&a_, n, k);
  describe(&b_, k, m);
  describe(&d_, n, m);
  choose();
}

RawProduct::~RawProduct() { (void)LOCI_LT(cublasLtDestroy)(handle_); }

void RawProduct::describe(cublasLtMatrixLayoutOpaque_t* layout, std::int64_t rows,
                          std::int64_t columns) const {
  require(LOCI_LT(cublasLtMatrixLayoutInit_internal)(layout, sizeof *layout, type_,
                                                     static_cast<std::uint64_t>(rows),
                                                     static_cast<std::uint64_t>(columns), rows),
          "describing a matrix");
}

void RawProduct::choose() {
  cublasLtMatmulPreferenceOpaque_t preference;
  require(LOCI_LT(cublasLtMatmulPreferenceInit_internal)(&preference, sizeof preference),
          "describing a preference");
  require(
      LOCI_LT(cublasLtMatmulPreferenceSetAttribute)(
          &preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &kWorkspace, sizeof kWorkspace),
      "describing a preference");
  int count = 0;
  require(LOCI_LT(cublasLtMatmulAlgoGetHeuristic)(handle_, &operation_, &a_, &b_, &d_, &d_,
                                                  &preference, 1, &chosen_, &count),
          "choosing an algorithm");
  if (count == 0) throw std::runtime_error("cuBLASLt has no algorithm");
}

void RawProduct::enqueue(CUstream stream) const {
  static constexpr float kOne = 1;
  static constexpr float kZero = 0;
  const auto pointer = [](const RawMemory& memory) {
    return reinterpret_cast<void*>(memory.address());
  };
  require(LOCI_LT(cublasLtMatmul)(handle_, &operation_, &kOne, y_, &a_, x_, &b_, &kZero,
                                  pointer(out_), &d_, pointer(out_), &d_, &chosen_.algo,
                                  pointer(workspace_), chosen_.workspaceSize, stream),
          "multiplying");
}

}  // namespace loci::bench
