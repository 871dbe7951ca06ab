#include "framework/core/elements.h"

#include <loci/abi/half.h>

#include "framework/core/raise.h"

namespace loci::core {
namespace {

template <class Out, class In, class Convert>
std::vector<Out> converted(const Tensor& tensor, const Convert& convert) {
  const auto* data = static_cast<const In*>(tensor.read_data());
  std::vector<Out> result(static_cast<std::size_t>(tensor.numel()));
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i] = static_cast<Out>(convert(data[i]));  // NOLINT: int8 is a number, no character
  }
  return result;
}

template <class Out, class In>
std::vector<Out> widened(const Tensor& tensor) {
  return converted<Out, In>(tensor, [](In value) { return value; });
}

}  // namespace

std::vector<double> to_doubles(const Tensor& tensor) {
  switch (tensor.dtype()) {
    case DType::kFloat16: return converted<double, std::uint16_t>(tensor, loci_f16_to_f32);
    case DType::kBFloat16: return converted<double, std::uint16_t>(tensor, loci_bf16_to_f32);
    case DType::kFloat32: return widened<double, float>(tensor);
    case DType::kFloat64: return widened<double, double>(tensor);
    default:
      core::raise(ErrorCode::kInternal, "[tensor] {} is no floating dtype",
                  dtype_name(tensor.dtype()));
  }
}

std::vector<std::int64_t> to_integers(const Tensor& tensor) {
  using Long = std::int64_t;
  switch (tensor.dtype()) {
    case DType::kBool: return widened<Long, bool>(tensor);
    case DType::kInt8: return widened<Long, std::int8_t>(tensor);
    case DType::kInt16: return widened<Long, std::int16_t>(tensor);
    case DType::kInt32: return widened<Long, std::int32_t>(tensor);
    case DType::kInt64: return widened<Long, std::int64_t>(tensor);
    case DType::kUInt8: return widened<Long, std::uint8_t>(tensor);
    case DType::kUInt16: return widened<Long, std::uint16_t>(tensor);
    case DType::kUInt32: return widened<Long, std::uint32_t>(tensor);
    case DType::kUInt64: return widened<Long, std::uint64_t>(tensor);
    default:
      core::raise(ErrorCode::kInternal, "[tensor] {} is no integer dtype",
                  dtype_name(tensor.dtype()));
  }
}

}  // namespace loci::core
