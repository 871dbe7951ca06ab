#include "tools/loci/model/literal.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "tools/loci/failure.h"
#include "tools/loci/model/element.h"
#include "tools/loci/shown.h"

namespace loci::runner {
namespace {

struct Literal {
  const std::string& text;
  const std::string& name;
  DType dtype;

  [[noreturn]] void refuse(const std::string& expected) const {
    throw Failure(ExitCode::kUsage,
                  fmt::format("[--feed] {}: {} is not {} for {}; a file is "
                              "written @FILE.npy",
                              shown_name(name), shown(text), expected, dtype_name(dtype)));
  }

  // The whole text as a T; `expected` says what it should have been.
  template <class T>
  [[nodiscard]] T number(const std::string& expected) const {
    T value{};
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || stop != end) refuse(expected);
    return value;
  }
};

bool parse(const Literal& literal, bool) {
  if (literal.text == "true" || literal.text == "1") return true;
  if (literal.text != "false" && literal.text != "0") literal.refuse("true or false");
  return false;
}

template <class T>
T parse(const Literal& literal, T) {
  if constexpr (is_half<T>) {
    const auto wide = literal.number<float>("a number in range");
    const T half = float_element<T>(wide);
    if (std::isfinite(wide) && !std::isfinite(to_float(half))) literal.refuse("a number in range");
    return half;
  } else if constexpr (is_float_element<T>) {
    return literal.number<T>("a number in range");
  } else {
    using Limits = std::numeric_limits<T>;
    return literal.number<T>(
        fmt::format("a whole number from {} to {}", Limits::min(), Limits::max()));
  }
}

}  // namespace

Tensor filled_tensor(const std::string& text, const Shape& shape, DType dtype,
                     const std::string& name) {
  return visit_dtype(dtype, [&](auto zero) {
    using T = decltype(zero);
    const T element = parse(Literal{text, name, dtype}, zero);
    Tensor tensor = Tensor::empty(shape, dtype);
    std::fill_n(static_cast<T*>(tensor.raw_data()), tensor.numel(), element);
    return tensor;
  });
}

}  // namespace loci::runner
