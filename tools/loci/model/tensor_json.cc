#include "tools/loci/model/tensor_json.h"

#include <cmath>

#include "tools/loci/model/element.h"

namespace loci::runner {
namespace {

using Json = nlohmann::ordered_json;

template <class T>
Json element_json(T element) {
  if constexpr (is_float_element<T>) {
    const double value = float_value(element);
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
    return value;
  } else {
    return element;
  }
}

}  // namespace

Json type_json(DType dtype, const Shape& shape) {
  return {{"dtype", dtype_name(dtype)}, {"shape", shape.dims()}};
}

Json values_json(const Tensor& tensor) {
  return visit_dtype(tensor.dtype(), [&](auto zero) {
    const auto* elements = static_cast<const decltype(zero)*>(tensor.raw_data());
    Json values = Json::array();
    for (std::int64_t i = 0; i < tensor.numel(); ++i) values.push_back(element_json(elements[i]));
    return values;
  });
}

}  // namespace loci::runner
