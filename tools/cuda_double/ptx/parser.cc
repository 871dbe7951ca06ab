#include "tools/cuda_double/ptx/parser.h"

#include <fmt/format.h>

#include <charconv>

#include "tools/cuda_double/ptx/body_parser.h"
#include "tools/cuda_double/ptx/declaration_parser.h"
#include "tools/cuda_double/ptx/token_stream.h"

namespace loci::cuda_double {
namespace {

class UnitParser {
 public:
  UnitParser(std::string_view text, const std::string& name) : tokens_(text, name), name_(name) {}

  UnitSyntax parse() {
    parse_version();
    parse_target();
    while (tokens_.peek().kind != Token::Kind::kEnd) parse_part();
    return std::move(unit_);
  }

 private:
  void parse_version() {
    if (!tokens_.accept(".version")) tokens_.fail_expected(".version");
    const Token token = tokens_.take();
    const std::size_t dot = token.text.find('.');
    const auto read = [&](std::string_view digits, std::uint32_t& value) {
      const char* end = digits.data() + digits.size();
      return !digits.empty() && std::from_chars(digits.data(), end, value).ptr == end;
    };
    if (dot == std::string_view::npos || !read(token.text.substr(0, dot), unit_.version_major) ||
        !read(token.text.substr(dot + 1), unit_.version_minor)) {
      tokens_.fail_at(token.line, "expected a version such as 9.0");
    }
    if (std::pair(unit_.version_major, unit_.version_minor) >
        std::pair(kNewestMajor, kNewestMinor)) {
      throw PtxError(
          PtxError::Kind::kVersion, name_, token.line,
          fmt::format("is PTX ISA {}.{}, and {}.{} is the newest that is known; compile "
                      "with an older toolkit",
                      unit_.version_major, unit_.version_minor, kNewestMajor, kNewestMinor));
    }
  }

  void parse_target() {
    if (!tokens_.accept(".target")) tokens_.fail_expected(".target");
    do {
      const std::string_view word = tokens_.expect_name();
      if (word.substr(0, 3) == "sm_") parse_architecture(word.substr(3));
    } while (tokens_.accept(','));
    if (unit_.target == 0) tokens_.fail("expected a target such as sm_90");
    if (!tokens_.accept(".address_size")) return;
    if (tokens_.expect_integer() != 64) tokens_.fail("only addresses of 64 bits are known");
  }

  void parse_architecture(std::string_view digits) {
    std::from_chars(digits.data(), digits.data() + digits.size(), unit_.target);
  }

  void parse_part() {
    const Token token = tokens_.peek();
    if (token.is(".file")) {
      parse_file();
    } else if (token.is(".section")) {
      skip_section();
    } else if (token.is(".alias")) {
      parse_alias();
    } else if (tokens_.accept(".pragma")) {
      (void)tokens_.expect_string();
      tokens_.expect(';');
    } else if (token.is(".loc")) {
      (void)parse_location(tokens_);
    } else if (!tokens_.accept(';')) {
      parse_linked();
    }
  }

  void parse_file() {
    tokens_.take();
    FileSyntax file;
    file.number = tokens_.expect_small_integer();
    file.path = tokens_.expect_string();
    while (tokens_.accept(',')) (void)tokens_.expect_integer();
    unit_.files.push_back(file);
  }

  void skip_section() {
    while (!tokens_.peek().is('{')) {
      if (tokens_.peek().kind == Token::Kind::kEnd) tokens_.fail_expected("'{'");
      tokens_.take();
    }
    while (!tokens_.accept('}')) {
      if (tokens_.peek().kind == Token::Kind::kEnd) tokens_.fail_expected("'}'");
      tokens_.take();
    }
  }

  void parse_alias() {
    tokens_.take();
    const std::string_view alias = tokens_.expect_name();
    tokens_.expect(',');
    unit_.aliases.emplace_back(alias, tokens_.expect_name());
    tokens_.expect(';');
  }

  void parse_linked() {
    bool is_extern = false;
    bool is_visible = false;
    for (;;) {
      if (tokens_.accept(".extern")) {
        is_extern = true;
      } else if (tokens_.accept(".visible") || tokens_.accept(".weak") ||
                 tokens_.accept(".common")) {
        is_visible = true;
      } else {
        break;
      }
    }
    const Token token = tokens_.peek();
    if (token.is(".entry") || token.is(".func")) {
      parse_function(is_visible);
    } else if (begins_declaration(token) && !token.is(".reg") && !token.is(".param")) {
      for (VariableSyntax& variable : parse_declaration(tokens_)) {
        variable.is_extern = is_extern;
        variable.is_visible = is_visible;
        unit_.variables.push_back(std::move(variable));
      }
      tokens_.expect(';');
    } else {
      tokens_.fail_expected("a function or a variable");
    }
  }

  void parse_function(bool is_visible) {
    FunctionSyntax function;
    function.line = tokens_.peek().line;
    function.is_entry = tokens_.take().text == ".entry";
    function.is_visible = is_visible;
    skip_attribute();
    if (tokens_.peek().is('(')) function.results = parse_parameters(tokens_);
    function.name = tokens_.expect_name();
    if (tokens_.peek().is('(')) function.parameters = parse_parameters(tokens_);
    while (tokens_.peek().kind == Token::Kind::kDirective) parse_function_directive(function);
    if (tokens_.accept('{')) {
      function.is_declaration = false;
      function.body = parse_body(tokens_);
    } else {
      tokens_.expect(';');
    }
    unit_.functions.push_back(std::move(function));
  }

  void skip_attribute() {
    if (!tokens_.accept(".attribute")) return;
    tokens_.expect('(');
    while (!tokens_.accept(')')) {
      if (tokens_.peek().kind == Token::Kind::kEnd) tokens_.fail_expected("')'");
      tokens_.take();
    }
  }

  Dim3 parse_extents() {
    Dim3 extents;
    extents.x = tokens_.expect_small_integer();
    if (tokens_.accept(',')) extents.y = tokens_.expect_small_integer();
    if (tokens_.accept(',')) extents.z = tokens_.expect_small_integer();
    return extents;
  }

  void parse_function_directive(FunctionSyntax& function) {
    const Token token = tokens_.take();
    if (token.is(".maxntid")) {
      function.max_block = parse_extents();
    } else if (token.is(".reqntid")) {
      function.required_block = parse_extents();
    } else if (token.is(".minnctapersm")) {
      function.min_blocks = tokens_.expect_small_integer();
    } else if (token.is(".reqnctapercluster")) {
      (void)parse_extents();
      function.is_cluster = true;
    } else if (token.is(".explicitcluster") || token.is(".blocksareclusters")) {
      function.is_cluster = true;
    } else if (token.is(".maxnreg") || token.is(".maxnctapersm") || token.is(".maxclusterrank") ||
               token.is(".abi_preserve") || token.is(".abi_preserve_control")) {
      (void)tokens_.expect_integer();
    } else if (token.is(".pragma")) {
      (void)tokens_.expect_string();
      tokens_.accept(';');
    } else if (!token.is(".noreturn") && !token.is(".unique")) {
      tokens_.fail_at(token.line, fmt::format("'{}' cannot stand before a body", token.text));
    }
  }

  TokenStream tokens_;
  std::string name_;
  UnitSyntax unit_;
};

}  // namespace

UnitSyntax parse_unit(std::string_view text, const std::string& name) {
  return UnitParser(text, name).parse();
}

}  // namespace loci::cuda_double
