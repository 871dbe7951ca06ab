// Cases of one's own for `loci verify --cases FILE`: a JSON array of
//   {"name": "beta 2", "op": "example.swish", "attributes": {"beta": 2.0},
//    "inputs": {"x": {"dtype": "float32", "shape": [3], "values": [0, 1, -1]}},
//    "outputs": [{"dtype": "float32", "shape": [3], "values": [0, 0.88079708, -0.11920292],
//                 "absolute": 1e-7, "relative": 1e-6}]}
// name and op are texts, and a name is unique for its op. An attribute is true, a whole number, a
// number with a point, a text, an array of one of the last three, or {"dtype": "int64"}. Inputs are
// by slot, an array of them for a variadic one. Instead of dtype, shape and values an array may
// have "file", an .npy, .npz or .safetensors file beside the JSON. Values are numbers, true and
// false, "nan", "inf" or "-inf". Outputs are all of the op's, in its order; an element has to be
// within absolute + relative * |expected| of the expected one, and without either equal to it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/conformance/case.h"

namespace loci::verify {

// Returns cases of the family "own". `directory` is where files are. Throws Error(kDataLoss) that
// names the entry and what is wrong with it, and what the reading of a file throws.
std::vector<conformance::Case> parse_own_cases(std::string_view json, const std::string& directory);
// Throws Error(kNotFound) too.
std::vector<conformance::Case> read_own_cases(const std::string& path);

}  // namespace loci::verify
