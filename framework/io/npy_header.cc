#include "framework/io/npy_header.h"

#include <fmt/ranges.h>

#include <array>
#include <charconv>
#include <cstdint>
#include <utility>

#include "framework/core/file_error.h"
#include "framework/core/quote.h"
#include "framework/core/raise.h"

namespace loci {
inline namespace v0 {
namespace io {
namespace {

constexpr std::array<std::pair<DType, std::string_view>, 12> kNpyTypes{{{kBool, "b1"},
                                                                        {kInt8, "i1"},
                                                                        {kInt16, "i2"},
                                                                        {kInt32, "i4"},
                                                                        {kInt64, "i8"},
                                                                        {kUInt8, "u1"},
                                                                        {kUInt16, "u2"},
                                                                        {kUInt32, "u4"},
                                                                        {kUInt64, "u8"},
                                                                        {kFloat16, "f2"},
                                                                        {kFloat32, "f4"},
                                                                        {kFloat64, "f8"}}};

std::string_view kind_name(char kind) {
  switch (kind) {
    case 'O': return "Python objects";
    case 'V': return "raw bytes or an extension such as bfloat16";
    case 'c': return "complex numbers";
    case 'S':
    case 'a':
    case 'U': return "strings";
    case 'M':
    case 'm': return "times";
    case 'f': return "floats of another size";
    default: return "no known type";
  }
}

// Reads the Python literal. Positions in messages count from the brace.
class HeaderReader {
 public:
  HeaderReader(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  NpyHeader read() {
    expect('{', "header");
    while (!accept('}')) {
      read_entry();
      if (accept(',')) continue;
      expect('}', "header");
      break;
    }
    skip_space();
    if (position_ != text_.size()) refuse_here("header", "nothing after '}'");
    require(has_descr_, "descr");
    require(has_order_, "fortran_order");
    require(has_shape_, "shape");
    return header_;
  }

 private:
  void read_entry() {
    const std::string_view key = read_string("header");
    expect(':', key == "descr" || key == "shape" ? key : "header");
    if (key == "descr") {
      claim(has_descr_, key);
      read_descr();
    } else if (key == "fortran_order") {
      claim(has_order_, key);
      header_.fortran_order = read_bool();
    } else if (key == "shape") {
      claim(has_shape_, key);
      read_shape();
    } else {
      core::refuse(file_, "header", "unknown key {}; it has descr, fortran_order and shape",
                   core::quote(key));
    }
  }

  void claim(bool& seen, std::string_view key) {
    if (seen) core::refuse(file_, key, "stands twice in the header");
    seen = true;
  }

  void require(bool seen, std::string_view key) {
    if (!seen) core::refuse(file_, key, "is missing in the header");
  }

  void read_descr() {
    skip_space();
    if (peek() == '[' || peek() == '(') {
      core::refuse(file_, "descr", "a structured dtype, {}; save each field as an array of its own",
                   core::quote(text_.substr(position_)));
    }
    const std::string_view descr = read_string("descr");
    const char order = descr.empty() ? '\0' : descr.front();
    const std::string_view type = descr.empty() ? descr : descr.substr(1);
    for (const auto& [dtype, code] : kNpyTypes) {
      if (code != type || !is_order(order, dtype_size(dtype))) continue;
      header_.dtype = dtype;
      header_.big_endian = order == '>';
      return;
    }
    core::refuse(file_, "descr",
                 "{} is {}; save the array as bool, an integer type or float16 to float64",
                 core::quote(descr), kind_name(type.empty() ? '\0' : type.front()));
  }

  static bool is_order(char order, std::size_t bytes) {
    return order == '<' || order == '>' || order == '=' || (order == '|' && bytes == 1);
  }

  bool read_bool() {
    skip_space();
    for (const std::string_view word : {"True", "False"}) {
      if (text_.substr(position_, word.size()) != word) continue;
      position_ += word.size();
      return word == "True";
    }
    refuse_here("fortran_order", "True or False");
  }

  void read_shape() {
    expect('(', "shape");
    bool comma = true;
    int extents = 0;
    while (!accept(')')) {
      if (!comma) refuse_here("shape", "',' or ')'");
      if (extents++ == Shape::kMaxRank) {
        core::refuse(file_, "shape", "has more than the {} dimensions of a tensor",
                     Shape::kMaxRank);
      }
      header_.shape.push_back(read_extent());
      comma = accept(',');
    }
    if (extents == 1 && !comma)
      core::refuse(file_, "shape", "is a number, not a tuple such as (3,)");
  }

  std::int64_t read_extent() {
    skip_space();
    std::int64_t extent = 0;
    const char* first = text_.data() + position_;
    const auto [end, error] = std::from_chars(first, text_.data() + text_.size(), extent);
    if (error == std::errc::result_out_of_range) {
      core::refuse(file_, "shape", "extent {} does not fit into 63 bits",
                   core::quote(std::string_view(first, static_cast<std::size_t>(end - first))));
    }
    if (error != std::errc() || *first == '-') refuse_here("shape", "an extent");
    position_ += static_cast<std::size_t>(end - first);
    if (peek() == 'L') ++position_;  // as Python 2 wrote its long integers
    return extent;
  }

  std::string_view read_string(std::string_view field) {
    skip_space();
    const char mark = peek();
    if (mark != '\'' && mark != '"') refuse_here(field, "a string");
    const std::size_t end = text_.find(mark, position_ + 1);
    if (end == std::string_view::npos) refuse_here(field, "a string that ends");
    const std::string_view content = text_.substr(position_ + 1, end - position_ - 1);
    position_ = end + 1;
    return content;
  }

  void skip_space() {
    while (position_ < text_.size() &&
           std::string_view(" \t\n\r").find(text_[position_]) != std::string_view::npos) {
      ++position_;
    }
  }

  [[nodiscard]] char peek() const { return position_ < text_.size() ? text_[position_] : '\0'; }

  bool accept(char wanted) {
    skip_space();
    if (peek() != wanted) return false;
    ++position_;
    return true;
  }

  void expect(char wanted, std::string_view field) {
    if (!accept(wanted)) refuse_here(field, fmt::format("'{}'", wanted));
  }

  [[noreturn]] void refuse_here(std::string_view field, std::string_view wanted) {
    core::refuse(file_, field, "byte {} of the header: expected {}, found {}", position_, wanted,
                 position_ < text_.size() ? core::quote(text_.substr(position_, 1)) : "its end");
  }

  std::string_view text_;
  const std::string& file_;
  std::size_t position_ = 0;
  NpyHeader header_;
  bool has_descr_ = false;
  bool has_order_ = false;
  bool has_shape_ = false;
};

std::string descr_of(DType dtype) {
  for (const auto& [known, code] : kNpyTypes) {
    if (known == dtype) return fmt::format("{}{}", dtype_size(dtype) == 1 ? '|' : '<', code);
  }
  core::raise(ErrorCode::kInvalidArgument, "[io] npy has no {}; cast to float32 first",
              dtype_name(dtype));
}

}  // namespace

NpyHeader parse_npy_header(std::string_view text, const std::string& file) {
  return HeaderReader(text, file).read();
}

std::string npy_preamble(DType dtype, const Shape& shape) {
  constexpr std::size_t kFixed = kNpyMagic.size() + 4;  // version and length
  constexpr std::size_t kAlignment = 64;
  std::string dictionary =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}", descr_of(dtype),
                  fmt::join(shape.begin(), shape.end(), ", "), shape.rank() == 1 ? "," : "");
  const std::size_t used = kFixed + dictionary.size() + 1;
  dictionary.append((kAlignment - used % kAlignment) % kAlignment, ' ');
  dictionary += '\n';
  const std::size_t length = dictionary.size();
  std::string preamble(kNpyMagic);
  preamble += {'\1', '\0', static_cast<char>(length & 0xFF), static_cast<char>(length >> 8)};
  return preamble + dictionary;
}

}  // namespace io
}  // namespace v0
}  // namespace loci
