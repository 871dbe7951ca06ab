// What each check demands, in words: for `loci verify --explain`.
#pragma once

#include <string>
#include <string_view>

namespace loci::verify {

// Of the check with that name, as a report has it; empty if there is no such check.
std::string explanation_of(std::string_view check);
// The same; throws Error(kInvalidArgument), with names that are near, if there is none.
std::string explain(std::string_view check);

}  // namespace loci::verify
