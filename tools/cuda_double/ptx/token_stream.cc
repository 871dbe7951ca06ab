#include "tools/cuda_double/ptx/token_stream.h"

#include <fmt/format.h>

#include <limits>

namespace loci::cuda_double {
namespace {

constexpr std::size_t kLongestShown = 80;

std::string shown(const Token& token) {
  if (token.kind == Token::Kind::kEnd) return "the end of the text";
  return fmt::format("'{}'", token.text.substr(0, kLongestShown));
}

}  // namespace

TokenStream::TokenStream(std::string_view text, const std::string& name) : lexer_(text, name) {
  ahead_[0] = lexer_.next();
  ahead_[1] = lexer_.next();
}

Token TokenStream::take() {
  const Token token = ahead_[0];
  last_end_ = token.end;
  ahead_[0] = ahead_[1];
  if (ahead_[0].kind != Token::Kind::kEnd) ahead_[1] = lexer_.next();
  return token;
}

bool TokenStream::accept(char mark) {
  if (!peek().is(mark)) return false;
  take();
  return true;
}

bool TokenStream::accept(std::string_view word) {
  if (!peek().is(word)) return false;
  take();
  return true;
}

void TokenStream::expect(char mark) {
  if (!accept(mark)) fail_expected(fmt::format("'{}'", mark));
}

std::string_view TokenStream::expect_name() {
  if (peek().kind != Token::Kind::kWord) fail_expected("a name");
  return take().text;
}

std::uint64_t TokenStream::expect_integer() {
  const bool negative = accept('-');
  if (peek().kind != Token::Kind::kInteger) fail_expected("an integer");
  const std::uint64_t value = take().value;
  return negative ? 0 - value : value;
}

std::uint32_t TokenStream::expect_small_integer() {
  if (peek().kind != Token::Kind::kInteger) fail_expected("an integer");
  if (peek().value > std::numeric_limits<std::uint32_t>::max()) {
    fail(fmt::format("{} is too large here", peek().value));
  }
  return static_cast<std::uint32_t>(take().value);
}

std::string_view TokenStream::expect_string() {
  if (peek().kind != Token::Kind::kString) fail_expected("a string");
  return take().text;
}

void TokenStream::fail_at(std::uint32_t line, const std::string& message) const {
  throw PtxError(PtxError::Kind::kSyntax, lexer_.name(), line, message);
}

void TokenStream::fail(const std::string& message) const { fail_at(peek().line, message); }

void TokenStream::fail_expected(std::string_view what) const {
  fail(fmt::format("expected {}, but there is {}", what, shown(peek())));
}

}  // namespace loci::cuda_double
