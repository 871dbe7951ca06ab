#include <fmt/format.h>

#include "tools/loci/completion/completion.h"

namespace loci::runner {
namespace {

using Kind = Completion::Kind;

// Within single quotes, as part of a specification in which [, ] and : have a meaning.
std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '\'') {
      result += "'\\''";
    } else {
      if (c == '[' || c == ']' || c == ':' || c == '\\') result += '\\';
      result += c;
    }
  }
  return result;
}

std::string action(const Completion& completion) {
  switch (completion.kind) {
    case Kind::kNothing: return " ";
    case Kind::kFiles: return "_files";
    case Kind::kDirectories: return "_files -/";
    case Kind::kChoices: break;
  }
  return fmt::format("({})", fmt::join(completion.choices, " "));
}

std::string specification(const CompletedOption& option) {
  std::string text = fmt::format("{}{}", option.repeatable ? "*" : "", option.name);
  if (!option.value_name.empty()) text += '=';
  text += fmt::format("[{}]", escaped(option.description));
  if (option.value_name.empty()) return text;
  return text + fmt::format(":{}:{}", escaped(option.value_name), action(option.value));
}

std::string arguments(const CompletedCommand& command) {
  std::string text = "_arguments";
  for (const CompletedOption& option : command.options) {
    text += fmt::format(" \\\n            '{}'", specification(option));
  }
  for (std::size_t i = 0; i < command.words.size(); ++i) {
    text += fmt::format(" \\\n            '{}::{}:{}'", i + 1, escaped(command.words[i].name),
                        action(command.words[i].value));
  }
  return text;
}

}  // namespace

std::string zsh_completion(const std::vector<CompletedCommand>& commands) {
  std::string names;
  std::string cases;
  for (const CompletedCommand& command : commands) {
    names += fmt::format("    '{}:{}'\n", command.name, escaped(command.summary));
    cases += fmt::format("        {})\n          {} ;;\n", command.name, arguments(command));
  }
  return fmt::format(R"zsh(#compdef loci
# zsh completion of loci: save it as _loci in a directory of $fpath.
_loci() {{
  local context state state_descr line
  typeset -A opt_args
  local -a subcommands
  subcommands=(
{}    'help:Tells what a subcommand does and its options.'
  )
  _arguments -C '--help[print help]' '--version[print the version]' \
    '1:subcommand:->subcommand' '*::argument:->argument'
  case $state in
    subcommand) _describe subcommand subcommands ;;
    argument)
      case $words[1] in
{}        help) _describe subcommand subcommands ;;
      esac ;;
  esac
}}
if [[ $funcstack[1] == _loci ]]; then
  _loci "$@"
else
  compdef _loci loci
fi
)zsh",
                     names, cases);
}

}  // namespace loci::runner
