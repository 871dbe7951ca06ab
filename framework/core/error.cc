#include <loci/error.hpp>

#include "framework/core/cut.h"
#include "framework/core/quote.h"

namespace loci {
inline namespace v0 {
namespace {

// Names and lists come from files, and may be of any length.
constexpr std::size_t kMostMessage = 2048;
constexpr std::size_t kMostDetails = std::size_t{256} << 10;

}  // namespace

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
    case ErrorCode::kDeviceLost: return "device_lost";
  }
  return "unknown";
}

Error::Error(ErrorCode code, const std::string& message, std::string details)
    : std::runtime_error(core::cut(core::one_line(message), kMostMessage)), code_(code) {
  if (!details.empty()) {
    details_ = std::make_shared<const std::string>(core::cut(details, kMostDetails));
  }
}

Error::~Error() = default;

const std::string& Error::details() const noexcept {
  static const std::string& kNone = *new std::string;
  return details_ == nullptr ? kNone : *details_;
}

Error Error::within(std::string_view context) const {
  Error wider(code_, std::string(context) + ": " + what());
  wider.details_ = details_;
  return wider;
}

}  // namespace v0
}  // namespace loci
