#include "tools/cuda_double/ptx/declaration_parser.h"

#include <fmt/format.h>

#include <bit>
#include <limits>
#include <map>

namespace loci::cuda_double {
namespace {

constexpr std::uint64_t kMostElements = std::uint64_t{1} << 32;
constexpr std::uint32_t kMostNumbered = 1U << 20;
constexpr int kMostNesting = 8;

const std::map<std::string_view, StateSpace>& spaces() {
  static const std::map<std::string_view, StateSpace> kSpaces = {
      {".global", StateSpace::kGlobal}, {".const", StateSpace::kConst},
      {".shared", StateSpace::kShared}, {".local", StateSpace::kLocal},
      {".param", StateSpace::kParam},   {".reg", StateSpace::kRegister}};
  return kSpaces;
}

class DeclarationParser {
 public:
  explicit DeclarationParser(TokenStream& tokens) : tokens_(tokens) {}

  VariableSyntax parse_head() {
    VariableSyntax variable;
    variable.line = tokens_.peek().line;
    const auto space = spaces().find(tokens_.peek().text);
    if (space == spaces().end()) tokens_.fail_expected("a state space");
    variable.space = space->second;
    tokens_.take();
    while (tokens_.peek().kind == Token::Kind::kDirective) parse_qualifier(variable);
    if (!typed_) tokens_.fail_expected("a type");
    return variable;
  }

  void parse_name(VariableSyntax& variable) {
    variable.name = tokens_.expect_name();
    if (tokens_.accept('<')) {
      variable.numbered = tokens_.expect_small_integer();
      if (variable.numbered > kMostNumbered) tokens_.fail("too many registers");
      tokens_.expect('>');
    }
    while (tokens_.accept('[')) parse_extent(variable);
    if (tokens_.accept('=')) parse_values(variable, 0);
    if (variable.values.size() > variable.count * variable.vector) {
      tokens_.fail(fmt::format("'{}' has more values than elements", variable.name));
    }
  }

 private:
  void parse_qualifier(VariableSyntax& variable) {
    const Token token = tokens_.take();
    const std::string_view word = token.text.substr(1);
    if (word == "align") {
      variable.alignment = tokens_.expect_small_integer();
      if (!std::has_single_bit(variable.alignment) || variable.alignment > 4096) {
        tokens_.fail(fmt::format("an alignment of {} cannot be", variable.alignment));
      }
    } else if (word == "v2" || word == "v4" || word == "v8") {
      variable.vector = static_cast<std::uint32_t>(word[1] - '0');
    } else if (word == "attribute") {
      tokens_.expect('(');
      while (!tokens_.accept(')')) {
        if (tokens_.peek().kind == Token::Kind::kEnd) tokens_.fail_expected("')'");
        tokens_.take();
      }
    } else if (const auto type = scalar_type(word)) {
      variable.type = *type;
      typed_ = true;
    } else if (word != "ptr" && spaces().find(token.text) == spaces().end()) {
      tokens_.fail_at(token.line, fmt::format("'{}' is no type that is known", token.text));
    }
  }

  void parse_extent(VariableSyntax& variable) {
    if (tokens_.accept(']')) {
      variable.is_unsized = true;
      variable.count = 0;
      return;
    }
    const std::uint64_t extent = tokens_.expect_integer();
    if (extent > kMostElements || variable.count * extent > kMostElements) {
      tokens_.fail(fmt::format("'{}' is too large", variable.name));
    }
    variable.count *= extent;
    tokens_.expect(']');
  }

  void parse_values(VariableSyntax& variable, int depth) {
    if (depth > kMostNesting) tokens_.fail("too many braces");
    if (!tokens_.accept('{')) {
      variable.values.push_back(parse_value(variable.type));
      return;
    }
    while (!tokens_.accept('}')) {
      parse_values(variable, depth + 1);
      if (!tokens_.accept(',') && !tokens_.peek().is('}')) tokens_.fail_expected("',' or '}'");
    }
    if (variable.is_unsized) {
      variable.count = variable.values.size();
      variable.is_unsized = false;
    }
  }

  Initialiser parse_value(ScalarType type) {
    Initialiser value{.type = type};
    const bool negative = tokens_.accept('-');
    const Token token = tokens_.peek();
    switch (token.kind) {
      case Token::Kind::kInteger: parse_integer_value(value, negative); break;
      case Token::Kind::kSingle:
      case Token::Kind::kFloat: value.value = float_bits(tokens_.take(), type, negative); break;
      case Token::Kind::kWord: parse_symbol_value(value); break;
      default: tokens_.fail_expected("a value");
    }
    return value;
  }

  void parse_integer_value(Initialiser& value, bool negative) {
    const std::uint64_t number = tokens_.take().value;
    if (tokens_.peek().is('(')) {  // 0xff00(symbol): the byte of its address under the mask
      value.masked = true;
      value.shift = number == 0 ? 0 : static_cast<std::uint64_t>(std::countr_zero(number));
      tokens_.expect('(');
      parse_symbol_value(value);
      tokens_.expect(')');
      return;
    }
    value.value = negative ? 0 - number : number;
    if (is_float(value.type)) value.value = integer_as_float(value.value, value.type);
  }

  void parse_symbol_value(Initialiser& value) {
    value.symbol = tokens_.expect_name();
    if (value.symbol == "generic" && tokens_.accept('(')) {
      value.generic = true;
      value.symbol = tokens_.expect_name();
      if (tokens_.accept('+')) value.value = tokens_.expect_integer();
      tokens_.expect(')');
    }
    if (tokens_.accept('+')) value.value += tokens_.expect_integer();
  }

  static std::uint64_t integer_as_float(std::uint64_t value, ScalarType type) {
    const auto number = static_cast<double>(static_cast<std::int64_t>(value));
    return type == ScalarType::kF64 ? std::bit_cast<std::uint64_t>(number)
                                    : std::bit_cast<std::uint32_t>(static_cast<float>(number));
  }

  static std::uint64_t float_bits(const Token& token, ScalarType type, bool negative) {
    double number = token.kind == Token::Kind::kSingle
                        ? std::bit_cast<float>(static_cast<std::uint32_t>(token.value))
                        : std::bit_cast<double>(token.value);
    if (negative) number = -number;
    return type == ScalarType::kF64 ? std::bit_cast<std::uint64_t>(number)
                                    : std::bit_cast<std::uint32_t>(static_cast<float>(number));
  }

  TokenStream& tokens_;
  bool typed_ = false;
};

}  // namespace

bool begins_declaration(const Token& token) {
  return token.kind == Token::Kind::kDirective && spaces().count(token.text) > 0;
}

std::vector<VariableSyntax> parse_declaration(TokenStream& tokens) {
  DeclarationParser parser(tokens);
  const VariableSyntax head = parser.parse_head();
  std::vector<VariableSyntax> result;
  do {
    VariableSyntax variable = head;
    parser.parse_name(variable);
    result.push_back(std::move(variable));
  } while (tokens.accept(','));
  return result;
}

std::vector<VariableSyntax> parse_parameters(TokenStream& tokens) {
  std::vector<VariableSyntax> result;
  tokens.expect('(');
  while (!tokens.accept(')')) {
    DeclarationParser parser(tokens);
    VariableSyntax parameter = parser.parse_head();
    parser.parse_name(parameter);
    result.push_back(std::move(parameter));
    if (!tokens.accept(',') && !tokens.peek().is(')')) tokens.fail_expected("',' or ')'");
  }
  return result;
}

}  // namespace loci::cuda_double
