#include "tools/cuda_double/ptx/run/printf_text.h"

#include <array>
#include <cstdio>
#include <string_view>

#include "tools/cuda_double/ptx/run/lane_memory.h"

namespace loci::cuda_double {
namespace {

constexpr std::size_t kLongestNumber = 512;

// Reads arguments one after the other, each aligned to its size.
class Arguments {
 public:
  Arguments(Warp& warp, std::uint32_t lane, std::uint64_t address)
      : warp_(warp), lane_(lane), next_(address) {}

  template <class T>
  T take() {
    next_ = (next_ + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    T value{};
    read_lane(warp_, lane_, next_, &value, sizeof(T));
    next_ += sizeof(T);
    return value;
  }

 private:
  Warp& warp_;
  std::uint32_t lane_;
  std::uint64_t next_;
};

template <class... Values>
std::string formatted(const std::string& specification, Values... values) {
  std::array<char, kLongestNumber> text;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  const int length = std::snprintf(text.data(), text.size(), specification.c_str(), values...);
#pragma GCC diagnostic pop
  if (length < 0) return "";
  return {text.data(), std::min<std::size_t>(static_cast<std::size_t>(length), text.size() - 1)};
}

bool is_wide(std::string_view specification) {
  return specification.find_first_of("ljzt") != std::string_view::npos;
}

std::string one_argument(Warp& warp, std::uint32_t lane, Arguments& arguments,
                         const std::string& specification) {
  switch (specification.back()) {
    case 'd':
    case 'i':
    case 'u':
    case 'x':
    case 'X':
    case 'o':
      return is_wide(specification) ? formatted(specification, arguments.take<long long>())
                                    : formatted(specification, arguments.take<int>());
    case 'c': return formatted(specification, arguments.take<int>());
    case 'p':
      return formatted(specification, reinterpret_cast<void*>(arguments.take<std::uint64_t>()));
    case 's':
      return formatted(specification,
                       read_text(warp, lane, arguments.take<std::uint64_t>()).c_str());
    default: return formatted(specification, arguments.take<double>());
  }
}

}  // namespace

std::string printf_text(Warp& warp, std::uint32_t lane, std::uint64_t format,
                        std::uint64_t arguments) {
  const std::string text = read_text(warp, lane, format);
  Arguments rest(warp, lane, arguments);
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      result += text[i];
      continue;
    }
    const std::size_t end = text.find_first_of("diuxXocpsfFeEgGaA%", i + 1);
    if (end == std::string::npos) break;
    std::string specification = text.substr(i, end - i + 1);
    i = end;
    for (std::size_t star = specification.find('*'); star != std::string::npos;
         star = specification.find('*')) {
      specification.replace(star, 1, std::to_string(rest.take<int>()));
    }
    result += specification.back() == '%' ? "%" : one_argument(warp, lane, rest, specification);
  }
  return result;
}

}  // namespace loci::cuda_double
