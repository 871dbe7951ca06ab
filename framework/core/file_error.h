// Errors about files.
#pragma once

#include <fmt/format.h>

#include <loci/error.hpp>
#include <string>
#include <string_view>
#include <utility>

namespace loci::core {

// Throws Error: "[io] <file>: <field>: <reason; remedy>".
template <class... Args>
[[noreturn]] void raise_file_error(ErrorCode code, const std::string& file, std::string_view field,
                                   fmt::format_string<Args...> reason, Args&&... args) {
  throw Error(code, fmt::format("[io] {}: {}: {}", file, field,
                                fmt::format(reason, std::forward<Args>(args)...)));
}

// For content that breaks the rules of its format: kDataLoss.
template <class... Args>
[[noreturn]] void refuse(const std::string& file, std::string_view field,
                         fmt::format_string<Args...> reason, Args&&... args) {
  raise_file_error(ErrorCode::kDataLoss, file, field, reason, std::forward<Args>(args)...);
}

}  // namespace loci::core
