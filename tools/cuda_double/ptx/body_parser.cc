#include "tools/cuda_double/ptx/body_parser.h"

#include <fmt/format.h>

#include "tools/cuda_double/ptx/declaration_parser.h"

namespace loci::cuda_double {
namespace {

constexpr int kMostScopes = 64;
constexpr int kMostNesting = 4;

class BodyParser {
 public:
  explicit BodyParser(TokenStream& tokens) : tokens_(tokens) {}

  std::vector<Statement> parse() {
    int depth = 1;
    while (depth > 0) {
      const Token& token = tokens_.peek();
      if (token.is('{')) {
        if (++depth > kMostScopes) tokens_.fail("too many scopes within each other");
        add(ScopeBegin());
        tokens_.take();
      } else if (token.is('}')) {
        --depth;
        if (depth > 0) add(ScopeEnd());
        tokens_.take();
      } else {
        parse_statement();
      }
    }
    return std::move(statements_);
  }

 private:
  template <class What>
  void add(What what) {
    statements_.push_back({tokens_.peek().line, std::move(what)});
  }

  void parse_statement() {
    const Token token = tokens_.peek();
    if (token.kind == Token::Kind::kDirective) {
      parse_directive(token);
    } else if (token.kind == Token::Kind::kWord && tokens_.second().is(':')) {
      parse_label();
    } else if (token.kind == Token::Kind::kWord || token.is('@')) {
      parse_instruction();
    } else if (!tokens_.accept(';')) {
      tokens_.fail_expected("an instruction");
    }
  }

  void parse_directive(const Token& token) {
    if (begins_declaration(token)) {
      const std::uint32_t line = token.line;
      for (VariableSyntax& variable : parse_declaration(tokens_)) {
        statements_.push_back({line, std::move(variable)});
      }
      tokens_.expect(';');
    } else if (token.is(".loc")) {
      add(parse_location(tokens_));
    } else if (tokens_.accept(".pragma")) {
      (void)tokens_.expect_string();
      tokens_.expect(';');
    } else {
      tokens_.fail(fmt::format("'{}' cannot stand in a function", token.text));
    }
  }

  void parse_label() {
    const std::string_view name = tokens_.expect_name();
    tokens_.expect(':');
    if (tokens_.accept(".branchtargets")) {
      BranchTargets targets{name, {}};
      do {
        targets.labels.push_back(tokens_.expect_name());
      } while (tokens_.accept(','));
      tokens_.expect(';');
      add(std::move(targets));
    } else if (tokens_.accept(".callprototype")) {
      parse_prototype(name);
    } else if (tokens_.accept(".calltargets")) {
      do {
        (void)tokens_.expect_name();
      } while (tokens_.accept(','));
      tokens_.expect(';');
    } else {
      add(LabelSyntax{name});
    }
  }

  void parse_prototype(std::string_view name) {
    auto prototype = std::make_shared<PrototypeSyntax>();
    prototype->function.name = name;
    prototype->function.line = tokens_.peek().line;
    if (tokens_.peek().is('(')) prototype->function.results = parse_parameters(tokens_);
    (void)tokens_.expect_name();
    if (tokens_.peek().is('(')) prototype->function.parameters = parse_parameters(tokens_);
    while (tokens_.peek().kind == Token::Kind::kDirective) tokens_.take();
    tokens_.expect(';');
    add(std::shared_ptr<const PrototypeSyntax>(std::move(prototype)));
  }

  void parse_instruction() {
    const std::uint32_t line = tokens_.peek().line;
    InstructionSyntax instruction;
    if (tokens_.accept('@')) {
      instruction.guard_negated = tokens_.accept('!');
      instruction.guard = tokens_.expect_name();
    }
    const std::size_t begin = tokens_.peek().begin;
    instruction.opcode = tokens_.expect_name();
    while (!tokens_.peek().is(';')) {
      instruction.operands.push_back(parse_operand(0));
      if (!tokens_.accept(',') && !tokens_.peek().is(';')) tokens_.fail_expected("',' or ';'");
    }
    instruction.text = tokens_.text(begin, tokens_.last_end());
    tokens_.expect(';');
    statements_.push_back({line, std::move(instruction)});
  }

  OperandSyntax parse_operand(int depth) {
    if (depth > kMostNesting) tokens_.fail("too many braces");
    if (tokens_.accept('{')) return parse_parts(OperandSyntax::Kind::kVector, '}', depth);
    if (tokens_.accept('(')) return parse_parts(OperandSyntax::Kind::kList, ')', depth);
    if (tokens_.accept('[')) return parse_address();
    const bool negative = tokens_.accept('-');
    if (negative || tokens_.peek().kind != Token::Kind::kWord) {
      const bool negated = !negative && tokens_.accept('!');
      OperandSyntax operand = negated ? parse_name() : parse_number(negative);
      operand.negated = negated;
      return operand;
    }
    return parse_name();
  }

  OperandSyntax parse_parts(OperandSyntax::Kind kind, char end, int depth) {
    OperandSyntax operand;
    operand.kind = kind;
    while (!tokens_.accept(end)) {
      operand.parts.push_back(parse_operand(depth + 1));
      if (!tokens_.accept(',') && !tokens_.peek().is(end)) {
        tokens_.fail_expected(fmt::format("',' or '{}'", end));
      }
    }
    return operand;
  }

  OperandSyntax parse_address() {
    OperandSyntax operand;
    operand.kind = OperandSyntax::Kind::kAddress;
    if (tokens_.peek().kind == Token::Kind::kWord) operand.name = tokens_.expect_name();
    if (operand.name.empty()) {
      operand.value = tokens_.expect_integer();
    } else if (tokens_.accept('+') || tokens_.peek().is('-')) {
      operand.value = tokens_.expect_integer();
    }
    if (!tokens_.accept(']')) tokens_.fail_expected("']'");
    return operand;
  }

  OperandSyntax parse_name() {
    OperandSyntax operand;
    operand.name = tokens_.expect_name();
    operand.kind = operand.name == "_" ? OperandSyntax::Kind::kSink : OperandSyntax::Kind::kName;
    if (tokens_.accept('|')) operand.second = tokens_.expect_name();
    if (tokens_.peek().is('+') || tokens_.peek().is('-')) {  // symbol+8
      tokens_.accept('+');
      operand.value = tokens_.expect_integer();
    }
    return operand;
  }

  OperandSyntax parse_number(bool negative) {
    OperandSyntax operand;
    const Token token = tokens_.peek();
    switch (token.kind) {
      case Token::Kind::kInteger:
        operand.kind = OperandSyntax::Kind::kInteger;
        operand.value = negative ? 0 - token.value : token.value;
        break;
      case Token::Kind::kSingle:
        operand.kind = OperandSyntax::Kind::kSingle;
        operand.value = token.value ^ (negative ? std::uint64_t{1} << 31 : 0);
        break;
      case Token::Kind::kFloat:
        operand.kind = OperandSyntax::Kind::kDouble;
        operand.value = token.value ^ (negative ? std::uint64_t{1} << 63 : 0);
        break;
      default: tokens_.fail_expected("an operand");
    }
    tokens_.take();
    return operand;
  }

  TokenStream& tokens_;
  std::vector<Statement> statements_;
};

}  // namespace

std::vector<Statement> parse_body(TokenStream& tokens) { return BodyParser(tokens).parse(); }

LocationSyntax parse_location(TokenStream& tokens) {
  LocationSyntax location;
  tokens.take();
  location.file = tokens.expect_small_integer();
  location.line = tokens.expect_small_integer();
  location.column = tokens.expect_small_integer();
  while (tokens.accept(',')) {
    if (tokens.accept("function_name")) {
      (void)tokens.expect_name();
      if (tokens.accept('+')) (void)tokens.expect_integer();
    } else if (tokens.accept("inlined_at")) {
      location.is_inlined = true;
      location.at_file = tokens.expect_small_integer();
      location.at_line = tokens.expect_small_integer();
      location.at_column = tokens.expect_small_integer();
    } else {
      tokens.fail_expected("function_name or inlined_at");
    }
  }
  return location;
}

}  // namespace loci::cuda_double
