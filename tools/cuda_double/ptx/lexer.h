// Splits PTX into tokens.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace loci::cuda_double {

struct Token {
  enum class Kind : std::uint8_t {
    kEnd,
    kWord,       // a name with what follows after dots: "ld.global.u32", "%tid.x", "$L__BB0_1"
    kDirective,  // begins with a dot: ".reg"
    kInteger,
    kFloat,   // value: the bits of a double
    kSingle,  // value: the bits of a float, written 0f3f800000
    kString,  // text: without the quotes
    kMark,    // one character
  };
  Kind kind = Kind::kEnd;
  std::string_view text;
  std::uint64_t value = 0;
  std::uint32_t line = 1;
  std::size_t begin = 0;  // in the text
  std::size_t end = 0;

  [[nodiscard]] bool is(char mark) const { return kind == Kind::kMark && text[0] == mark; }
  [[nodiscard]] bool is(std::string_view word) const {
    return (kind == Kind::kWord || kind == Kind::kDirective) && text == word;
  }
};

class Lexer {
 public:
  // The text has to outlive the tokens. `name` is for messages.
  Lexer(std::string_view text, std::string name) : text_(text), name_(std::move(name)) {}

  // Throws PtxError for what is no token.
  [[nodiscard]] Token next();

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::string_view text() const { return text_; }
  // Continues behind the next line's end: what is in a section of debug information is no PTX.
  void skip_line();

 private:
  [[nodiscard]] char peek(std::size_t ahead = 0) const {
    return position_ + ahead < text_.size() ? text_[position_ + ahead] : '\0';
  }
  void skip_blanks();
  [[nodiscard]] Token finish(Token::Kind kind, std::size_t begin) const;
  [[nodiscard]] Token word();
  [[nodiscard]] Token number();
  [[nodiscard]] Token hexadecimal(std::size_t begin, Token::Kind kind, std::size_t most_digits);
  [[nodiscard]] Token decimal(std::size_t begin);
  [[nodiscard]] Token string();
  [[noreturn]] void fail(const std::string& message) const;

  std::string_view text_;
  std::string name_;
  std::size_t position_ = 0;
  std::uint32_t line_ = 1;
};

}  // namespace loci::cuda_double
