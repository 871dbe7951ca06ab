#include "framework/plugin/abi_error.h"

#include <new>
#include <utility>
#include <vector>

#include "framework/plugin/error_object.h"

namespace loci::plugin {
namespace {

// Made beforehand, for when there is no memory to make one.
loci_error& no_memory() {
  static loci_error error{LOCI_CODE_OUT_OF_MEMORY, "no memory to describe an error", nullptr};
  return error;
}

ErrorCode code_from_abi(loci_code code) {
  const bool known = code >= LOCI_CODE_INVALID_ARGUMENT && code <= LOCI_CODE_INTERNAL;
  return known ? static_cast<ErrorCode>(code) : ErrorCode::kFailed;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  return lines;
}

}  // namespace

loci_error* new_error(loci_code code, std::string_view message, loci_error* cause) noexcept {
  try {
    return new loci_error{code, std::string(message), cause};
  } catch (const std::bad_alloc&) {
    free_error(cause);
    return &no_memory();
  }
}

void free_error(loci_error* error) noexcept {
  // Not by recursion: a plugin may have chained any number of causes.
  while (error != nullptr && error != &no_memory()) {
    loci_error* cause = error->cause;
    delete error;
    error = cause;
  }
}

loci_error* make_error(const Error& error) {
  loci_error* cause = nullptr;
  const std::vector<std::string_view> lines = lines_of(error.details());
  const auto code = static_cast<loci_code>(error.code());
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
    cause = new_error(code, *line, cause);
  }
  return new_error(code, error.what(), cause);
}

Error take_error(loci_error* error) {
  std::string details;
  for (const loci_error* cause = error->cause; cause != nullptr; cause = cause->cause) {
    if (!details.empty()) details += '\n';
    details += cause->message;
  }
  Error taken(code_from_abi(error->code), error->message, std::move(details));
  free_error(error);
  return taken;
}

void check(loci_error* error, std::string_view context) {
  if (error != nullptr) [[unlikely]]
    throw take_error(error).within(context);
}

}  // namespace loci::plugin
