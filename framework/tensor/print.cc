#include <fmt/format.h>
#include <loci/abi/half.h>

#include <algorithm>
#include <cstring>
#include <loci/tensor.hpp>

namespace loci {
inline namespace v0 {
namespace {

constexpr std::int64_t kPrintedWhole = 1000;

template <class T>
T load(const char* element) {
  T value;
  std::memcpy(&value, element, sizeof value);
  return value;
}

template <class T>
std::string number(const char* element) {
  return fmt::format("{}", load<T>(element));
}

std::string real(double value) { return fmt::format("{:.6g}", value); }

std::string format_element(DType dtype, const char* element) {
  switch (dtype) {
    case DType::kBool: return *element != 0 ? "true" : "false";
    case DType::kInt8: return fmt::format("{}", static_cast<int>(load<std::int8_t>(element)));
    case DType::kInt16: return number<std::int16_t>(element);
    case DType::kInt32: return number<std::int32_t>(element);
    case DType::kInt64: return number<std::int64_t>(element);
    case DType::kUInt8: return fmt::format("{}", static_cast<int>(load<std::uint8_t>(element)));
    case DType::kUInt16: return number<std::uint16_t>(element);
    case DType::kUInt32: return number<std::uint32_t>(element);
    case DType::kUInt64: return number<std::uint64_t>(element);
    case DType::kFloat16: return real(loci_f16_to_f32(load<std::uint16_t>(element)));
    case DType::kBFloat16: return real(loci_bf16_to_f32(load<std::uint16_t>(element)));
    case DType::kFloat32: return real(load<float>(element));
    case DType::kFloat64: return fmt::format("{:.10g}", load<double>(element));
    case DType::kNone: break;
  }
  return "?";
}

// Writes nested brackets as numpy does: elements of a column under each other.
class Printer {
 public:
  explicit Printer(const Tensor& host)
      : dtype_(host.dtype()),
        shape_(host.shape()),
        data_(static_cast<const char*>(host.read_data())),
        edge_(edge_of(host)) {}

  std::string text() {
    measuring_ = true;
    print(/*axis=*/0, /*index=*/0);
    measuring_ = false;
    print(/*axis=*/0, /*index=*/0);
    return std::move(text_);
  }

 private:
  // How many elements to print at each end of a dimension, 0 for all: few enough that even eight
  // dimensions stay readable.
  static std::int64_t edge_of(const Tensor& tensor) {
    if (tensor.numel() <= kPrintedWhole) return 0;
    const int rank = tensor.shape().rank();
    return rank <= 3 ? 3 : (rank == 4 ? 2 : 1);
  }

  void print(int axis, std::int64_t index) {
    if (axis == shape_.rank()) {
      print_element(index);
      return;
    }
    const std::int64_t extent = shape_[axis];
    append("[");
    for (std::int64_t i = 0; i < extent; ++i) {
      if (i != 0) separate(axis);
      if (edge_ != 0 && extent > 2 * edge_ && i == edge_) {
        append("...");
        i = extent - edge_ - 1;
        continue;
      }
      print(axis + 1, index * extent + i);
    }
    append("]");
  }

  void print_element(std::int64_t index) {
    const auto size = static_cast<std::int64_t>(dtype_size(dtype_));
    const std::string element = format_element(dtype_, data_ + index * size);
    if (measuring_) width_ = std::max(width_, element.size());
    append(fmt::format("{:>{}}", element, width_));
  }

  void separate(int axis) {
    const bool innermost = axis + 1 == shape_.rank();
    append(innermost ? ", " : ",\n" + std::string(static_cast<std::size_t>(axis) + 1, ' '));
  }

  void append(const std::string& piece) {
    if (!measuring_) text_ += piece;
  }

  DType dtype_;
  Shape shape_;
  const char* data_;
  std::int64_t edge_;
  bool measuring_ = false;
  std::size_t width_ = 0;
  std::string text_;
};

}  // namespace

std::string Tensor::to_string() const {
  return fmt::format("{} {} at {}\n{}", dtype_name(dtype()), shape().to_string(),
                     place().to_string(), Printer(to(Place())).text());
}

}  // namespace v0
}  // namespace loci
