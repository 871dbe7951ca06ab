#include "tools/cuda_double/cublaslt/algorithm.h"

#include <algorithm>

namespace loci::cublaslt_double {
namespace {

// Loads and stores of a thread need at most this alignment.
constexpr std::uint32_t kVectorBytes = 16;

// Long sums of few results, as a device would divide among its processors.
constexpr std::int64_t kLongSum = 96;
constexpr std::int64_t kFewResults = 8192;
constexpr std::uint32_t kParts = 3;

}  // namespace

std::vector<Algorithm> algorithms_for(const Problem& problem, const Preference& preference) {
  Algorithm whole;
  whole.problem = problem.fingerprint();
  for (int i = 0; i < 4; ++i) {
    // The caller's alignments are believed, so that one who says too much is found out.
    whole.alignments[i] = std::min(preference.alignments[i], kVectorBytes);
    if (preference.alignments[i] < problem.element_bytes(i)) return {};
  }
  Algorithm parted = whole;
  parted.parts = kParts;
  parted.workspace = kParts * static_cast<std::uint64_t>(problem.results()) * problem.sum_bytes();
  const bool may_part = (preference.reductions & CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE) != 0 &&
                        parted.workspace <= preference.workspace;
  const bool gains = problem.k >= kLongSum && problem.results() <= kFewResults;
  if (may_part && gains) return {parted, whole};
  return {whole};
}

}  // namespace loci::cublaslt_double
