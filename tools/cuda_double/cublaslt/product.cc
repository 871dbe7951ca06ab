#include "tools/cuda_double/cublaslt/product.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "tools/cuda_double/cublaslt/product_call.h"

namespace loci::cublaslt_double {
namespace {

constexpr std::uint64_t kWorkspaceAlignment = 256;

std::uint64_t address(const void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }

double scalar(const Problem& problem, const void* from) {
  require(from != nullptr, "alpha or beta is missing");
  if (problem.operation.scale == CUDA_R_64F) return *static_cast<const double*>(from);
  return *static_cast<const float*>(from);
}

void check_address(const char* name, const void* pointer, std::uint32_t alignment) {
  require(pointer != nullptr, fmt::format("{} has no address", name));
  require(address(pointer) % alignment == 0,
          fmt::format("{} lies at an address that is no multiple of {}, which was preferred when "
                      "the algorithm was asked for",
                      name, alignment));
}

void check_workspace(const Algorithm& algorithm, const Operands& operands) {
  if (algorithm.workspace == 0) return;
  require(operands.workspace != nullptr && operands.workspace_bytes >= algorithm.workspace,
          fmt::format("the workspace has {} bytes, and the algorithm needs {}",
                      operands.workspace == nullptr ? 0 : operands.workspace_bytes,
                      algorithm.workspace));
  require(address(operands.workspace) % kWorkspaceAlignment == 0,
          fmt::format("the workspace is not aligned to {} bytes", kWorkspaceAlignment));
}

void check(const Problem& problem, const Algorithm& algorithm, const Operands& operands) {
  require(algorithm.problem == problem.fingerprint(), "the algorithm is of another problem");
  check_address("A", operands.a, algorithm.alignments[0]);
  check_address("B", operands.b, algorithm.alignments[1]);
  check_address("C", operands.c, algorithm.alignments[2]);
  check_address("D", operands.d, algorithm.alignments[3]);
  require(operands.c != operands.d || problem.c == problem.d,
          "C and D are one, and their layouts are not");
  require(!problem.adds_bias() || problem.operation.bias != 0, "the bias has no address");
  check_workspace(algorithm, operands);
}

Matrix matrix(const Layout& layout, const void* pointer, bool transposed) {
  Matrix result{address(pointer), 1, layout.leading, layout.batch_step};
  if (transposed) std::swap(result.row_step, result.column_step);
  return result;
}

std::uint32_t activation_of(std::uint32_t epilogue) {
  if ((epilogue & CUBLASLT_EPILOGUE_GELU) != 0) return 2;
  return (epilogue & CUBLASLT_EPILOGUE_RELU) != 0 ? 1 : 0;
}

// The library has an epilogue of its own only where threads load and store 16 bytes: it ends other
// halves by a further kernel, which reads what the first one rounded.
bool rounds_before_ending(const Problem& problem, const Algorithm& algorithm, double beta) {
  constexpr std::uint32_t kVectorBytes = 16;
  const bool is_half = problem.d.type == CUDA_R_16F || problem.d.type == CUDA_R_16BF;
  const bool has_ending = beta != 0 || problem.operation.epilogue != CUBLASLT_EPILOGUE_DEFAULT;
  const auto& alignments = algorithm.alignments;
  return is_half && has_ending &&
         (!problem.are_columns_aligned(kVectorBytes) ||
          *std::min_element(std::begin(alignments), std::end(alignments)) < kVectorBytes);
}

ProductCall call_of(const Problem& problem, const Algorithm& algorithm, const Operands& operands) {
  const Operation& operation = problem.operation;
  ProductCall call{};
  call.a = matrix(problem.a, operands.a, operation.transpose_a == CUBLAS_OP_T);
  call.b = matrix(problem.b, operands.b, operation.transpose_b == CUBLAS_OP_T);
  call.c = matrix(problem.c, operands.c, false);
  call.d = matrix(problem.d, operands.d, false);
  call.batch = problem.d.batch;
  call.m = problem.m;
  call.n = problem.n;
  call.k = problem.k;
  call.alpha = scalar(problem, operands.alpha);
  call.beta = scalar(problem, operands.beta);
  call.bias = problem.adds_bias() ? operation.bias : 0;
  call.activation = activation_of(operation.epilogue);
  call.parts = algorithm.parts;
  call.is_rounded = rounds_before_ending(problem, algorithm, call.beta) ? 1 : 0;
  call.workspace = address(operands.workspace);
  return call;
}

const char* suffix(const Problem& problem) {
  const bool gives_sums = problem.d.type == CUDA_R_32F;
  switch (problem.a.type) {
    case CUDA_R_16F: return gives_sums ? "f16_f32" : "f16";
    case CUDA_R_16BF: return gives_sums ? "bf16_f32" : "bf16";
    case CUDA_R_64F: return "f64";
    default: return problem.operation.compute == CUBLAS_COMPUTE_32F_FAST_TF32 ? "tf32" : "f32";
  }
}

void launch(const Handle& handle, const std::string& name, std::int64_t items, ProductCall& call,
            CUstream stream) {
  constexpr std::int64_t kThreads = 128;
  constexpr std::int64_t kMostBlocks = 1024;
  const auto blocks =
      static_cast<unsigned>(std::min((items + kThreads - 1) / kThreads, kMostBlocks));
  void* parameters[] = {&call};
  if (cuLaunchKernel(handle.function(name), blocks, 1, 1, kThreads, 1, 1, 0, stream, parameters,
                     nullptr) != CUDA_SUCCESS) {
    throw Refusal(CUBLAS_STATUS_EXECUTION_FAILED, "the driver does not launch " + name);
  }
}

}  // namespace

void enqueue_product(const Handle& handle, const Problem& problem, const Algorithm& algorithm,
                     const Operands& operands, CUstream stream) {
  check(problem, algorithm, operands);
  ProductCall call = call_of(problem, algorithm, operands);
  const std::string type = suffix(problem);
  launch(handle, "product_" + type, call.parts * problem.results(), call, stream);
  if (call.parts > 1) launch(handle, "add_parts_" + type, problem.results(), call, stream);
}

}  // namespace loci::cublaslt_double
