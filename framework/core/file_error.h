// Errors about files.
#pragma once

#include <fmt/format.h>

#include <cerrno>
#include <loci/error.hpp>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace loci::core {

// Throws Error: "[io] <file>: <field>: <reason; remedy>".
template <class... Args>
[[noreturn]] void raise_file_error(ErrorCode code, const std::string& file, std::string_view field,
                                   fmt::format_string<Args...> reason, Args&&... args) {
  throw Error(code, fmt::format("[io] {}: {}: {}", file, field,
                                fmt::format(reason, std::forward<Args>(args)...)));
}

// For what the system refuses, by its number: kFailed.
[[noreturn]] inline void raise_system_error(const std::string& file, std::string_view field,
                                            int error) {
  const bool is_full = error == ENOSPC || error == EDQUOT;
  raise_file_error(ErrorCode::kFailed, file, field, "{}{}", std::system_category().message(error),
                   is_full ? "; free space there, or write elsewhere" : "");
}

// For content that breaks the rules of its format: kDataLoss.
template <class... Args>
[[noreturn]] void refuse(const std::string& file, std::string_view field,
                         fmt::format_string<Args...> reason, Args&&... args) {
  raise_file_error(ErrorCode::kDataLoss, file, field, reason, std::forward<Args>(args)...);
}

}  // namespace loci::core
