#include "tools/cuda_double/ptx/lexer.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cstdlib>

#include "tools/cuda_double/ptx/ptx_error.h"

namespace loci::cuda_double {
namespace {

constexpr std::size_t kHexDigits32 = 8;
constexpr std::size_t kHexDigits64 = 16;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool begins_name(char c) { return is_letter(c) || c == '_' || c == '$' || c == '%'; }
bool continues_name(char c) { return is_letter(c) || is_digit(c) || c == '_' || c == '$'; }

int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

void Lexer::fail(const std::string& message) const {
  throw PtxError(PtxError::Kind::kSyntax, name_, line_, message);
}

void Lexer::skip_line() {
  while (peek() != '\0' && peek() != '\n') ++position_;
}

void Lexer::skip_blanks() {
  while (position_ < text_.size()) {
    const char c = peek();
    if (c == '\n') {
      ++line_;
      ++position_;
    } else if (c == ' ' || c == '\t' || c == '\r') {
      ++position_;
    } else if (c == '/' && peek(1) == '/') {
      skip_line();
    } else if (c == '/' && peek(1) == '*') {
      const std::size_t end = text_.find("*/", position_ + 2);
      if (end == std::string_view::npos) fail("a comment has no end");
      for (; position_ < end + 2; ++position_) line_ += text_[position_] == '\n' ? 1 : 0;
    } else {
      return;
    }
  }
}

Token Lexer::finish(Token::Kind kind, std::size_t begin) const {
  Token token;
  token.kind = kind;
  token.text = text_.substr(begin, position_ - begin);
  token.line = line_;
  token.begin = begin;
  token.end = position_;
  return token;
}

Token Lexer::next() {
  skip_blanks();
  const char c = peek();
  if (position_ >= text_.size()) return finish(Token::Kind::kEnd, position_);
  if (begins_name(c) || (c == '.' && begins_name(peek(1)))) return word();
  if (is_digit(c)) return number();
  if (c == '"') return string();
  const auto code = static_cast<unsigned char>(c);
  if (code < 0x20 || code >= 0x7f) fail(fmt::format("a byte {:#04x} is no PTX", code));
  ++position_;
  return finish(Token::Kind::kMark, position_ - 1);
}

Token Lexer::word() {
  const std::size_t begin = position_;
  const bool is_directive = peek() == '.';
  if (is_directive) ++position_;
  ++position_;
  while (continues_name(peek())) ++position_;
  while (!is_directive || peek() == ':') {
    const std::size_t dots = peek() == '.' ? 1 : peek() == ':' && peek(1) == ':' ? 2 : 0;
    if (dots == 0 || !continues_name(peek(dots))) break;
    position_ += dots;
    while (continues_name(peek())) ++position_;
  }
  return finish(is_directive ? Token::Kind::kDirective : Token::Kind::kWord, begin);
}

Token Lexer::number() {
  const std::size_t begin = position_;
  if (peek() == '0') {
    const char kind = peek(1);
    if (kind == 'x' || kind == 'X') return hexadecimal(begin, Token::Kind::kInteger, kHexDigits64);
    if (kind == 'f' || kind == 'F') return hexadecimal(begin, Token::Kind::kSingle, kHexDigits32);
    if (kind == 'd' || kind == 'D') return hexadecimal(begin, Token::Kind::kFloat, kHexDigits64);
  }
  return decimal(begin);
}

Token Lexer::hexadecimal(std::size_t begin, Token::Kind kind, std::size_t most_digits) {
  position_ += 2;
  std::uint64_t value = 0;
  std::size_t digits = 0;
  for (int digit = hex_value(peek()); digit >= 0; digit = hex_value(peek())) {
    value = value << 4 | static_cast<std::uint64_t>(digit);
    ++digits;
    ++position_;
  }
  if (kind == Token::Kind::kInteger && peek() == 'U') ++position_;
  const bool whole =
      kind == Token::Kind::kInteger ? digits > 0 && digits <= most_digits : digits == most_digits;
  Token token = finish(kind, begin);
  if (!whole || continues_name(peek())) fail(fmt::format("'{}' is no number", token.text));
  token.value = value;
  return token;
}

Token Lexer::decimal(std::size_t begin) {
  while (is_digit(peek())) ++position_;
  const bool is_float = peek() == '.' && is_digit(peek(1));
  if (is_float) {
    ++position_;
    while (is_digit(peek())) ++position_;
    if (peek() == 'e' || peek() == 'E') {
      position_ += peek(1) == '-' || peek(1) == '+' ? 2 : 1;
      while (is_digit(peek())) ++position_;
    }
  }
  const std::string_view digits = text_.substr(begin, position_ - begin);
  if (!is_float && peek() == 'U') ++position_;
  Token token = finish(is_float ? Token::Kind::kFloat : Token::Kind::kInteger, begin);
  if (continues_name(peek())) fail(fmt::format("'{}{}' is no number", token.text, peek()));
  if (is_float) {
    token.value = std::bit_cast<std::uint64_t>(std::strtod(std::string(digits).c_str(), nullptr));
    return token;
  }
  const int base = digits.size() > 1 && digits[0] == '0' ? 8 : 10;
  const auto read =
      std::from_chars(digits.data(), digits.data() + digits.size(), token.value, base);
  if (read.ec != std::errc() || read.ptr != digits.data() + digits.size()) {
    fail(fmt::format("'{}' is no number of 64 bits", token.text));
  }
  return token;
}

Token Lexer::string() {
  const std::size_t begin = ++position_;
  while (peek() != '"') {
    if (peek() == '\0' || peek() == '\n') fail("a string has no end");
    position_ += peek() == '\\' && position_ + 1 < text_.size() ? 2 : 1;
  }
  Token token = finish(Token::Kind::kString, begin);
  ++position_;
  token.end = position_;
  return token;
}

}  // namespace loci::cuda_double
