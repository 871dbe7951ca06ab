// "Did you mean": names close to one that was not found.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace loci::core {

// Up to three of `known` within a small edit distance of `name`, as "; did you mean 'a' or 'b'?",
// or, when none is close and there are at most ten, "; there are 'a', 'b'". Else empty.
std::string suggest(std::string_view name, const std::vector<std::string>& known);

}  // namespace loci::core
