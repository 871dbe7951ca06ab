#include <fmt/format.h>

#include <string_view>

#include "tools/loci/completion/completion.h"

namespace loci::runner {
namespace {

using Kind = Completion::Kind;

// `=` and `@` are words of their own to bash: "--fallback=warn" is three, "x=@in.npy" four.
constexpr std::string_view kHead = R"bash(# bash completion of loci; to be read by bash:
#   source <(loci completion bash)
_loci_reply() {
  mapfile -t COMPREPLY < <(compgen "$@")
}
_loci_paths() {
  compopt -o filenames 2>/dev/null
  _loci_reply "$1" -- "$2"
}
_loci() {
  local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD - 1]}"
  local command="${COMP_WORDS[1]}" word valued="" options="" i position=0
  COMPREPLY=()
  if [[ $current == "=" ]]; then
    current=""
  elif [[ $previous == "=" ]]; then
    previous="${COMP_WORDS[COMP_CWORD - 2]}"
  elif [[ $current == "@" || $previous == "@" ]]; then
    _loci_paths -f "${current#@}"
    return
  fi
)bash";

constexpr std::string_view kCountWords = R"bash(  for ((i = 2; i < COMP_CWORD; ++i)); do
    word="${COMP_WORDS[i]}"
    if [[ $valued == *" $word "* ]]; then
      [[ ${COMP_WORDS[i + 1]} == "=" ]] && ((++i))
      ((++i))
    elif [[ $word != -* ]]; then
      ((++position))
    fi
  done
)bash";

std::string reply(const Completion& completion) {
  switch (completion.kind) {
    case Kind::kNothing: return "return";
    case Kind::kFiles: return "_loci_paths -f \"$current\"; return";
    case Kind::kDirectories: return "_loci_paths -d \"$current\"; return";
    case Kind::kChoices: break;
  }
  return fmt::format("_loci_reply -W \"{}\" -- \"$current\"; return",
                     fmt::join(completion.choices, " "));
}

std::string option_names(const CompletedCommand& command, bool with_value) {
  std::string names;
  for (const CompletedOption& option : command.options) {
    if (with_value && option.value_name.empty()) continue;
    names += option.name + " ";
  }
  return names;
}

std::string subcommands(const std::vector<CompletedCommand>& commands) {
  std::string names;
  for (const CompletedCommand& command : commands) names += command.name + " ";
  return fmt::format(
      "  if ((COMP_CWORD == 1)); then\n"
      "    _loci_reply -W \"{0}help --help --version\" -- \"$current\"; return\n"
      "  fi\n"
      "  if [[ $command == help ]]; then\n"
      "    ((COMP_CWORD == 2)) && _loci_reply -W \"{0}\" -- \"$current\"\n"
      "    return\n"
      "  fi\n",
      names);
}

std::string option_table(const std::vector<CompletedCommand>& commands) {
  std::string text = "  case $command in\n";
  for (const CompletedCommand& command : commands) {
    text += fmt::format("    {}) options=\"{}\" valued=\" {}\" ;;\n", command.name,
                        option_names(command, /*with_value=*/false),
                        option_names(command, /*with_value=*/true));
  }
  return text + "    *) return ;;\n  esac\n";
}

std::string values(const std::vector<CompletedCommand>& commands) {
  std::string text = "  case \"$command $previous\" in\n";
  for (const CompletedCommand& command : commands) {
    for (const CompletedOption& option : command.options) {
      if (option.value_name.empty()) continue;
      text += fmt::format("    \"{} {}\") {} ;;\n", command.name, option.name, reply(option.value));
    }
  }
  return text + "  esac\n";
}

std::string words(const std::vector<CompletedCommand>& commands) {
  std::string text = "  case \"$command $position\" in\n";
  for (const CompletedCommand& command : commands) {
    for (std::size_t i = 0; i < command.words.size(); ++i) {
      text += fmt::format("    \"{} {}\") {} ;;\n", command.name, i, reply(command.words[i].value));
    }
  }
  return text + "  esac\n";
}

}  // namespace

std::string bash_completion(const std::vector<CompletedCommand>& commands) {
  return fmt::format(
      "{}{}{}{}"
      "  if [[ $current == -* ]]; then\n"
      "    _loci_reply -W \"$options\" -- \"$current\"; return\n"
      "  fi\n"
      "{}{}}}\ncomplete -F _loci loci\n",
      kHead, subcommands(commands), option_table(commands), values(commands), kCountWords,
      words(commands));
}

}  // namespace loci::runner
