// The tokens of a text, with a look ahead and what all parsers ask for.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "tools/cuda_double/ptx/lexer.h"
#include "tools/cuda_double/ptx/ptx_error.h"

namespace loci::cuda_double {

class TokenStream {
 public:
  TokenStream(std::string_view text, const std::string& name);

  [[nodiscard]] const Token& peek() const { return ahead_[0]; }
  [[nodiscard]] const Token& second() const { return ahead_[1]; }
  Token take();

  // Each takes the token if it is there.
  bool accept(char mark);
  bool accept(std::string_view word);
  // Each throws PtxError unless it is.
  void expect(char mark);
  [[nodiscard]] std::string_view expect_name();
  [[nodiscard]] std::uint64_t expect_integer();        // a minus before it is part of it
  [[nodiscard]] std::uint32_t expect_small_integer();  // of 32 bits
  [[nodiscard]] std::string_view expect_string();

  [[nodiscard]] std::string_view text(std::size_t begin, std::size_t end) const {
    return lexer_.text().substr(begin, end - begin);
  }
  [[nodiscard]] std::size_t last_end() const { return last_end_; }
  [[noreturn]] void fail(const std::string& message) const;
  [[noreturn]] void fail_at(std::uint32_t line, const std::string& message) const;
  // "expected X, but there is Y".
  [[noreturn]] void fail_expected(std::string_view what) const;

 private:
  Lexer lexer_;
  std::array<Token, 2> ahead_;
  std::size_t last_end_ = 0;
};

}  // namespace loci::cuda_double
