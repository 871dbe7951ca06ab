// Says in words what each check demands: for `loci verify --explain`.
#pragma once

#include <string>
#include <string_view>

namespace loci::verify {

// Takes the name of a check as a report has it; returns an empty text if there is no such check.
std::string explanation_of(std::string_view check);
// Throws Error(kInvalidArgument), with names that are near, if there is no such check.
std::string explain(std::string_view check);

}  // namespace loci::verify
