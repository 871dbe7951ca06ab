#include "framework/execution/place_reason.h"

namespace loci::execution {

std::string_view place_reason_name(PlaceReason reason) {
  switch (reason) {
    case PlaceReason::kDefault: return "default";
    case PlaceReason::kUserGuard: return "user_guard";
    case PlaceReason::kInputs: return "inputs";
    case PlaceReason::kNoKernel: return "no_kernel";
    case PlaceReason::kSmallerCopy: return "smaller_copy";
    case PlaceReason::kDecomposed: return "decomposed";
  }
  return "unknown";
}

}  // namespace loci::execution
