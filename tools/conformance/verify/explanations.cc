#include "tools/conformance/verify/explanations.h"

#include <fmt/ranges.h>

#include <loci/error.hpp>
#include <vector>

#include "framework/core/suggest.h"
#include "tools/conformance/verify/verify.h"

namespace loci::verify {
namespace {

struct Explanation {
  std::string_view check;  // or what several begin with, and '*'
  const char* text;
};

constexpr Explanation kExplanations[] = {
#define LOCI_EXPLAIN(check, text) {check, text},
#include "tools/conformance/verify/explanations.inc"
#undef LOCI_EXPLAIN
};

bool explains(std::string_view own, std::string_view check) {
  if (own.back() != '*') return check == own;
  own.remove_suffix(1);
  return check.substr(0, own.size()) == own;
}

}  // namespace

std::string explanation_of(std::string_view check) {
  for (const Explanation& explanation : kExplanations) {
    if (explains(explanation.check, check)) return explanation.text;
  }
  return {};
}

std::string explain(std::string_view check) {
  std::string text = explanation_of(check);
  if (!text.empty()) return text;
  std::vector<std::string> known;
  for (const Explanation& explanation : kExplanations) known.emplace_back(explanation.check);
  throw Error(ErrorCode::kInvalidArgument,
              fmt::format("[verify] there is no check '{}'{}; a report names checks as LEVEL/NAME, "
                          "of the levels {}",
                          check, core::suggest(check, known), fmt::join(level_names(), ", ")));
}

}  // namespace loci::verify
