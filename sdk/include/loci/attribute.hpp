// Attributes of operators.
#pragma once

#include <cstdint>
#include <loci/dtype.hpp>
#include <loci/export.hpp>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace loci {
inline namespace v0 {

// A value that is fixed when an operator is made. The order of the kinds is part of the format.
using Attribute =
    std::variant<bool, std::int64_t, double, std::string, DType, std::vector<std::int64_t>,
                 std::vector<double>, std::vector<std::string>>;

// Sorted by name, so that printing and saving are deterministic.
using Attributes = std::map<std::string, Attribute>;

// "[1, 2]", "0.5", "\"same\"", "float32", "true".
LOCI_PUBLIC std::string to_string(const Attribute& attribute);

}  // namespace v0
}  // namespace loci
