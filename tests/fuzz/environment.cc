// Values of environment variables, "NAME=VALUE" without LOCI_.
#include "framework/core/environment.h"

#include <algorithm>
#include <array>
#include <optional>

#include "framework/core/config.h"
#include "framework/core/log.h"
#include "tests/fuzz/fuzz_target.h"

namespace loci::fuzz {
namespace {

using core::EnvironmentVariable;

// Quotes are of at most 80 bytes, of which each may become four.
constexpr std::size_t kLongestProblem = 1400;

const EnvironmentVariable* variable_named(std::string_view name) {
  for (const EnvironmentVariable& variable : core::environment_variables()) {
    if (variable.name == name) return &variable;
  }
  return nullptr;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view without_zeros(std::string_view digits) {
  while (digits.size() > 1 && digits.front() == '0') digits.remove_prefix(1);
  return digits;
}

// Compares numbers of any length.
bool is_at_most(std::string_view a, std::string_view b) {
  a = without_zeros(a);
  b = without_zeros(b);
  return a.size() != b.size() ? a.size() < b.size() : a <= b;
}

// The numbers of "an integer in [1, 4096]" or "0 or 1".
std::vector<std::string> bounds_in(std::string_view takes) {
  std::vector<std::string> numbers;
  bool was_digit = false;
  for (const char c : takes) {
    if (is_digit(c) && !was_digit) numbers.emplace_back();
    if (is_digit(c)) numbers.back() += c;
    was_digit = is_digit(c);
  }
  return numbers;
}

bool is_integer_within(const std::string& value, const std::vector<std::string>& bounds) {
  return std::all_of(value.begin(), value.end(), is_digit) && is_at_most(bounds[0], value) &&
         is_at_most(value, bounds[1]);
}

std::array<core::Level, static_cast<std::size_t>(core::Module::kCount)> log_levels() {
  std::array<core::Level, static_cast<std::size_t>(core::Module::kCount)> levels{};
  for (std::size_t i = 0; i < levels.size(); ++i) levels[i] = core::detail::levels[i].value.load();
  return levels;
}

// The last level in the list holds for all modules, or for its own.
void check_log_levels(const std::string& value) {
  const auto before = log_levels();
  core::set_log_levels(value);
  const std::string last = value.substr(value.rfind(',') + 1);
  const auto now = log_levels();
  if (!last.empty() && last.find('=') == std::string::npos) {
    demand(std::count(now.begin(), now.end(), now[0]) == static_cast<std::ptrdiff_t>(now.size()),
           "modules have different levels");
  }
  for (std::size_t i = 0; i < before.size(); ++i) core::detail::levels[i].value.store(before[i]);
}

void check_accepted(const EnvironmentVariable& variable, const std::string& value) {
  const std::string name = variable.name;
  demand(core::config_value(name).value_or("") == value, "the value is not the one that was set");
  if (value.empty()) return;
  const std::vector<std::string> bounds = bounds_in(variable.takes);
  if (bounds.size() == 2) {
    demand(is_integer_within(value, bounds), "an integer out of bounds is accepted");
    demand(std::to_string(core::configured_number(name).value()) == without_zeros(value),
           "the number is not that of the text");
  }
  if (name == "LOG") check_log_levels(value);
}

void check_refused(const EnvironmentVariable& variable, const std::string& value) {
  const std::string problem = core::problem_of(variable.name, value);
  demand(problem.find(variable.takes) != std::string::npos, "it is not said what it takes");
  demand(problem.size() <= kLongestProblem, "the message is longer than needed");
  const std::vector<std::string> bounds = bounds_in(variable.takes);
  demand(bounds.size() != 2 || !is_integer_within(value, bounds), "a good integer is refused");
  demand(!core::config_value(variable.name), "a value that is refused is set");
}

void check(std::string_view text) {
  const std::size_t equals = std::min(text.find('='), text.size());
  const std::string name(text.substr(0, equals));
  const std::string value(text.substr(std::min(equals + 1, text.size())));
  core::check_environment();
  const EnvironmentVariable* variable = variable_named(name);
  if (variable != nullptr) core::set_config_value(name, "");
  const auto set = [&] { core::set_config_value(name, value); };
  const bool accepted =
      accepts({text.size(), "LOCI_" + name + " ", {ErrorCode::kInvalidArgument}}, set);
  demand(accepted == core::problem_of(name, value).empty(), "a value without a problem is refused");
  demand(accepted || variable != nullptr, "a variable of somebody else's is refused");
  if (variable == nullptr) return;
  if (accepted) {
    check_accepted(*variable, value);
  } else {
    check_refused(*variable, value);
  }
}

}  // namespace
}  // namespace loci::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  loci::fuzz::check(loci::fuzz::as_text(data, size));
  return 0;
}
