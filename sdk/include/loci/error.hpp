// The one exception type of the library.
#pragma once

#include <loci/export.hpp>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

namespace loci {
inline namespace v0 {

// The kind of a failure. The numbers equal those of the C ABI (loci/abi/base.h).
enum class ErrorCode {
  kInvalidArgument = 1,  // the caller broke a documented rule
  kNotFound = 2,         // a name, file or device that is not there
  kUnavailable = 3,      // not on this machine, or not now
  kUnsupported = 4,      // legal, but not covered by any implementation
  kOutOfMemory = 5,
  kDataLoss = 6,      // a malformed or damaged file
  kFailed = 7,        // the work itself failed while running
  kIncompatible = 8,  // versions or builds that do not fit each other
  kPermissionDenied = 9,
  kPolicy = 10,      // a policy set by the user forbids it
  kInternal = 11,    // a defect of Loci: please report it
  kDeviceLost = 12,  // the device does no work until it is reopened: see reopen_device()
};

// "out_of_memory" and so on.
LOCI_PUBLIC std::string_view error_code_name(ErrorCode code);

// what() is one line, "[where] what was wrong, with the values; what to do": control characters of
// the message, which a value may bring, are \xNN in it. details() may hold further lines, and is
// empty otherwise. Of a message of more than 2 KiB, and of details of more than 256 KiB, the
// beginning is kept, and "... (N bytes left out)" says so. To copy one needs no
// memory.
class LOCI_PUBLIC Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message, std::string details = {});
  ~Error() override;

  [[nodiscard]] ErrorCode code() const noexcept { return code_; }
  [[nodiscard]] const std::string& details() const noexcept;

  // A copy with `context` before the message: "context: message".
  [[nodiscard]] Error within(std::string_view context) const;

 private:
  ErrorCode code_;
  std::shared_ptr<const std::string> details_;  // null where there are none
};

}  // namespace v0
}  // namespace loci
