#include "tools/cuda_double/driver/external_functions.h"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace loci::cuda_double {
namespace {

constexpr std::string_view kProvided[] = {"cudaGraphSetConditional", "vprintf", "__assertfail",
                                          "malloc", "free"};

bool is_name_part(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '%';
}

void skip_space(std::string_view& text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0) {
    text.remove_prefix(1);
  }
}

std::string_view take_name(std::string_view& text) {
  std::size_t length = 0;
  while (length < text.size() && is_name_part(text[length])) ++length;
  const auto name = text.substr(0, length);
  text.remove_prefix(length);
  return name;
}

// Returns the name that follows ".func", behind attributes and a result in parentheses.
std::string_view function_name(std::string_view text) {
  while (true) {
    skip_space(text);
    if (text.starts_with('.')) {
      text.remove_prefix(1);
      take_name(text);
    } else if (text.starts_with('(')) {
      text.remove_prefix(std::min(text.size(), text.find(')') + 1));
    } else {
      return take_name(text);
    }
  }
}

// Returns true if the words right before the position have ".extern" among them.
bool is_declared_elsewhere(std::string_view text, std::size_t position) {
  const auto statement = text.find_last_of(";}\n", position);
  const auto begin = statement == std::string_view::npos ? 0 : statement;
  return text.substr(begin, position - begin).find(".extern") != std::string_view::npos;
}

struct Functions {
  std::set<std::string> declared;
  std::set<std::string> defined;
};

void collect(std::string_view text, Functions& functions) {
  constexpr std::string_view kMark = ".func";
  for (auto at = text.find(kMark); at != std::string_view::npos; at = text.find(kMark, at + 1)) {
    const auto after = text.substr(at + kMark.size());
    if (!after.empty() && is_name_part(after.front())) continue;
    auto& kind = is_declared_elsewhere(text, at) ? functions.declared : functions.defined;
    kind.emplace(function_name(after));
  }
}

}  // namespace

std::set<std::string> unresolved_functions(const std::vector<std::string>& texts) {
  Functions functions;
  for (const auto& text : texts) collect(text, functions);
  std::set<std::string> unresolved;
  for (const auto& name : functions.declared) {
    if (!functions.defined.contains(name)) unresolved.insert(name);
  }
  for (const auto name : kProvided) unresolved.erase(std::string(name));
  return unresolved;
}

}  // namespace loci::cuda_double
