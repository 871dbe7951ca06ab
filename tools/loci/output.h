// Standard output.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace loci::runner {

// Escapes what would drive a terminal instead of being shown, as names from a model may have it.
// Throws Failure(kFailed) if it cannot be written.
void print(const std::string& text);
// One object, on lines of its own. Text that is not UTF-8, such as the name of a file, keeps what
// of it is.
void print_json(const nlohmann::ordered_json& object);

// Writes a child's standard error to this one's; escapes as print() does, and without failure.
void print_error(const std::string& text);

}  // namespace loci::runner
