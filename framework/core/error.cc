#include <loci/error.hpp>
#include <utility>

namespace loci {
inline namespace v0 {

std::string_view error_code_name(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument: return "invalid_argument";
    case ErrorCode::kNotFound: return "not_found";
    case ErrorCode::kUnavailable: return "unavailable";
    case ErrorCode::kUnsupported: return "unsupported";
    case ErrorCode::kOutOfMemory: return "out_of_memory";
    case ErrorCode::kDataLoss: return "data_loss";
    case ErrorCode::kFailed: return "failed";
    case ErrorCode::kIncompatible: return "incompatible";
    case ErrorCode::kPermissionDenied: return "permission_denied";
    case ErrorCode::kPolicy: return "policy";
    case ErrorCode::kInternal: return "internal";
  }
  return "unknown";
}

Error::Error(ErrorCode code, const std::string& message, std::string details)
    : std::runtime_error(message), code_(code), details_(std::move(details)) {}

Error::~Error() = default;

Error Error::within(std::string_view context) const {
  return {code_, std::string(context) + ": " + what(), details_};
}

}  // namespace v0
}  // namespace loci
