// Tensors in --json output.
#pragma once

#include <loci/tensor.hpp>
#include <nlohmann/json.hpp>

namespace loci::runner {

// {"dtype": "float32", "shape": [2, 3]}.
nlohmann::ordered_json type_json(DType dtype, const Shape& shape);

// All elements of a host tensor in one flat list, the last dimension fastest. What JSON has no
// number for is a string: "nan", "inf", "-inf".
nlohmann::ordered_json values_json(const Tensor& tensor);

}  // namespace loci::runner
