#include "tools/cuda_double/memory/allocation.h"

namespace loci::cuda_double {

std::string_view memory_kind_name(MemoryKind kind) {
  switch (kind) {
    case MemoryKind::kDevice: return "memory";
    case MemoryKind::kPooled: return "memory of a pool";
    case MemoryKind::kVariable: return "a variable";
    case MemoryKind::kPinned: return "pinned host memory";
    case MemoryKind::kRegistered: return "registered host memory";
  }
  return "memory";
}

std::string_view needed_access(MemoryKind kind) {
  return kind == MemoryKind::kPooled ? "access to its pool (cuMemPoolSetAccess)"
                                     : "peer access (cuCtxEnablePeerAccess)";
}

}  // namespace loci::cuda_double
