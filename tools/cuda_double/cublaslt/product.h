// A product on a stream: checked against what the algorithm was found for, and launched.
#pragma once

#include <cuda.h>

#include "tools/cuda_double/cublaslt/algorithm.h"
#include "tools/cuda_double/cublaslt/handle.h"

namespace loci::cublaslt_double {

// The addresses of a call.
struct Operands {
  const void* a;
  const void* b;
  const void* c;
  void* d;
  const void* alpha;  // of the host
  const void* beta;
  void* workspace;
  std::size_t workspace_bytes;
};

// Throws Refusal. Asynchronous; a node where the stream is captured.
void enqueue_product(const Handle& handle, const Problem& problem, const Algorithm& algorithm,
                     const Operands& operands, CUstream stream);

}  // namespace loci::cublaslt_double
