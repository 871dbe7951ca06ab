#include "framework/core/abi/error.h"

#include <algorithm>
#include <memory>
#include <new>
#include <utility>

#include "framework/core/abi/error_object.h"

namespace loci::core {
namespace {

// Made as the library is loaded, for when there is no memory to make one; never destroyed.
loci_error& no_memory =
    *new loci_error{LOCI_CODE_OUT_OF_MEMORY, "no memory to describe an error", nullptr};

ErrorCode code_from_abi(loci_code code) {
  const bool known = code >= LOCI_CODE_INVALID_ARGUMENT && code <= LOCI_CODE_DEVICE_LOST;
  return known ? static_cast<ErrorCode>(code) : ErrorCode::kFailed;
}

}  // namespace

loci_error* new_error(loci_code code, std::string_view message, loci_error* cause) noexcept {
  try {
    return new loci_error{code, std::string(message), cause};
  } catch (const std::bad_alloc&) {
    free_error(cause);
    return &no_memory;
  }
}

void free_error(loci_error* error) noexcept {
  // Not by recursion: a plugin may have chained any number of causes.
  while (error != nullptr && error != &no_memory) {
    loci_error* cause = error->cause;
    delete error;
    error = cause;
  }
}

loci_error* make_error(const Error& error) noexcept {
  loci_error* cause = nullptr;
  const auto code = static_cast<loci_code>(error.code());
  std::string_view details = error.details();
  if (!details.empty() && details.back() == '\n') details.remove_suffix(1);
  // A cause for each line, from the last one on.
  while (!details.empty()) {
    const std::size_t end = details.rfind('\n');
    const bool is_first = end == std::string_view::npos;
    cause = new_error(code, is_first ? details : details.substr(end + 1), cause);
    details = is_first ? std::string_view() : details.substr(0, end);
  }
  return new_error(code, error.what(), cause);
}

Error take_error(loci_error* error) {
  const std::unique_ptr<loci_error, decltype(&free_error)> released(error, &free_error);
  std::string details;
  for (const loci_error* cause = error->cause; cause != nullptr; cause = cause->cause) {
    if (!details.empty()) details += '\n';
    details += cause->message;
  }
  // A message is one line; a plugin's may have several.
  std::string message = error->message;
  std::replace(message.begin(), message.end(), '\n', ' ');
  return Error(code_from_abi(error->code), message, std::move(details));
}

void check(loci_error* error, std::string_view context) {
  if (error != nullptr) [[unlikely]]
    throw take_error(error).within(context);
}

}  // namespace loci::core
