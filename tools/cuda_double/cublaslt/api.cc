// The functions of cuBLASLt that the double has.
#include <fmt/format.h>

#include <cstdio>
#include <exception>

#include "tools/cuda_double/cublaslt/product.h"

using namespace loci::cublaslt_double;  // NOLINT: all that follows is the API

namespace {

// The version of cuBLAS 13.0.0.
constexpr std::size_t kVersion = 130000;

const char* status_name(cublasStatus_t status) {
  switch (status) {
    case CUBLAS_STATUS_SUCCESS: return "CUBLAS_STATUS_SUCCESS";
    case CUBLAS_STATUS_NOT_INITIALIZED: return "CUBLAS_STATUS_NOT_INITIALIZED";
    case CUBLAS_STATUS_ALLOC_FAILED: return "CUBLAS_STATUS_ALLOC_FAILED";
    case CUBLAS_STATUS_INVALID_VALUE: return "CUBLAS_STATUS_INVALID_VALUE";
    case CUBLAS_STATUS_ARCH_MISMATCH: return "CUBLAS_STATUS_ARCH_MISMATCH";
    case CUBLAS_STATUS_MAPPING_ERROR: return "CUBLAS_STATUS_MAPPING_ERROR";
    case CUBLAS_STATUS_EXECUTION_FAILED: return "CUBLAS_STATUS_EXECUTION_FAILED";
    case CUBLAS_STATUS_INTERNAL_ERROR: return "CUBLAS_STATUS_INTERNAL_ERROR";
    case CUBLAS_STATUS_NOT_SUPPORTED: return "CUBLAS_STATUS_NOT_SUPPORTED";
    case CUBLAS_STATUS_LICENSE_ERROR: return "CUBLAS_STATUS_LICENSE_ERROR";
  }
  return "CUBLAS_STATUS_UNKNOWN";
}

void tell(const char* call, cublasStatus_t status, const char* why) {
  fmt::print(stderr, "[cuda double] {}: {}: {}\n", call, status_name(status), why);
}

template <class Body>
cublasStatus_t enter(const char* name, Body&& body) noexcept {
  try {
    body();
    return CUBLAS_STATUS_SUCCESS;
  } catch (const Refusal& refusal) {
    if (refusal.is_mistake()) tell(name, refusal.status(), refusal.what());
    return refusal.status();
  } catch (const std::exception& error) {
    tell(name, CUBLAS_STATUS_INTERNAL_ERROR, error.what());
    return CUBLAS_STATUS_INTERNAL_ERROR;
  }
}

template <class Fields, class Opaque, class Attribute>
cublasStatus_t set(const char* name, Opaque* opaque, Attribute which, const void* value,
                   std::size_t bytes) {
  return enter(name, [&] {
    auto fields = read<Fields>(opaque);
    set_attribute(fields, which, value, bytes);
    write(opaque, fields);
  });
}

template <class Opaque, class Fields>
cublasStatus_t initialise(const char* name, Opaque* opaque, std::size_t bytes,
                          const Fields& fields) {
  return enter(name, [&] {
    require(bytes >= sizeof(Opaque), "the structure is smaller than the header's");
    write(opaque, fields);
  });
}

Problem problem_of_call(cublasLtMatmulDesc_t operation, cublasLtMatrixLayout_t a,
                        cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t c,
                        cublasLtMatrixLayout_t d) {
  return problem_of(read<Operation>(operation), read<Layout>(a), read<Layout>(b), read<Layout>(c),
                    read<Layout>(d));
}

}  // namespace

extern "C" {

std::size_t cublasLtGetVersion() { return kVersion; }

const char* cublasLtGetStatusName(cublasStatus_t status) { return status_name(status); }

cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
  return enter(__func__, [&] {
    require(handle != nullptr, "there is no place for the handle");
    *handle = Handle::create();
  });
}

cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
  return enter(__func__, [&] { Handle::destroy(handle); });
}

cublasStatus_t cublasLtMatrixLayoutInit_internal(cublasLtMatrixLayout_t layout, std::size_t bytes,
                                                 cudaDataType type, std::uint64_t rows,
                                                 std::uint64_t columns, std::int64_t leading) {
  Layout fields;
  fields.type = type;
  fields.rows = rows;
  fields.columns = columns;
  fields.leading = leading;
  return initialise(__func__, layout, bytes, fields);
}

cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t layout,
                                                cublasLtMatrixLayoutAttribute_t which,
                                                const void* value, std::size_t bytes) {
  return set<Layout>(__func__, layout, which, value, bytes);
}

cublasStatus_t cublasLtMatmulDescInit_internal(cublasLtMatmulDesc_t operation, std::size_t bytes,
                                               cublasComputeType_t compute, cudaDataType_t scale) {
  Operation fields;
  fields.compute = compute;
  fields.scale = scale;
  return initialise(__func__, operation, bytes, fields);
}

cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t operation,
                                              cublasLtMatmulDescAttributes_t which,
                                              const void* value, std::size_t bytes) {
  return set<Operation>(__func__, operation, which, value, bytes);
}

cublasStatus_t cublasLtMatmulPreferenceInit_internal(cublasLtMatmulPreference_t preference,
                                                     std::size_t bytes) {
  return initialise(__func__, preference, bytes, Preference());
}

cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference,
                                                    cublasLtMatmulPreferenceAttributes_t which,
                                                    const void* value, std::size_t bytes) {
  return set<Preference>(__func__, preference, which, value, bytes);
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle,
                                              cublasLtMatmulDesc_t operation,
                                              cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                              cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                              cublasLtMatmulPreference_t preference, int wanted,
                                              cublasLtMatmulHeuristicResult_t* results,
                                              int* count) {
  return enter(__func__, [&] {
    require(results != nullptr && count != nullptr && wanted > 0, "there is no place for results");
    *count = 0;
    Handle::of(handle);
    const Problem problem = problem_of_call(operation, a, b, c, d);
    // The manual: its value tells how it is aligned.
    require(!problem.adds_bias() || problem.operation.bias != 0, "the bias has no address");
    for (const Algorithm& each : algorithms_for(problem, read<Preference>(preference))) {
      if (*count == wanted) break;
      cublasLtMatmulHeuristicResult_t& result = results[(*count)++];
      result = {};
      write(&result.algo, each);
      result.workspaceSize = each.workspace;
      result.state = CUBLAS_STATUS_SUCCESS;
      result.wavesCount = 1;
    }
    require_supported(*count > 0, "no algorithm does what is preferred");
  });
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t operation,
                              const void* alpha, const void* a, cublasLtMatrixLayout_t a_layout,
                              const void* b, cublasLtMatrixLayout_t b_layout, const void* beta,
                              const void* c, cublasLtMatrixLayout_t c_layout, void* d,
                              cublasLtMatrixLayout_t d_layout,
                              const cublasLtMatmulAlgo_t* algorithm, void* workspace,
                              std::size_t workspace_bytes, cudaStream_t stream) {
  return enter(__func__, [&] {
    const Handle& used = Handle::of(handle);
    used.require_current();
    const Problem problem = problem_of_call(operation, a_layout, b_layout, c_layout, d_layout);
    enqueue_product(used, problem, read<Algorithm>(algorithm),
                    {a, b, c, d, alpha, beta, workspace, workspace_bytes}, stream);
  });
}

}  // extern "C"
