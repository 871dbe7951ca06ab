// The text of a program file as a JSON document.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace loci::program {

// In time linear in the text. Throws Error(kDataLoss), "[program] <file>: <reason>", if it is
// larger than kMostJsonBytes, is not JSON (with the line and column), is nested deeper than any
// program, or has an object with one member twice.
nlohmann::json parse_document(std::string_view text, const std::string& file);

}  // namespace loci::program
