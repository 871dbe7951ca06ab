#include "framework/core/environment.h"

#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <map>

#include "framework/core/affinity.h"
#include "framework/core/config.h"
#include "framework/core/log.h"
#include "framework/core/process_end.h"
#include "framework/core/quote.h"
#include "framework/core/raise.h"
#include "framework/core/thread_team.h"

namespace loci::core {
namespace {

constexpr std::uint64_t kMostBytes = std::numeric_limits<std::int64_t>::max();
constexpr std::uint64_t kMostSyncSeconds = 86'400;  // a day
constexpr std::uint64_t kLargestSeed = std::numeric_limits<std::uint64_t>::max();

enum class Form { kAnything, kInteger, kLogLevels, kAffinity };

struct Rule {
  EnvironmentVariable variable;
  Form form;
  std::uint64_t low = 0;
  std::uint64_t high = 0;
};

Rule integer(const char* name, std::uint64_t low, std::uint64_t high, const char* meaning) {
  return {
      {name, fmt::format("an integer in [{}, {}]", low, high), meaning}, Form::kInteger, low, high};
}

// The one list of them, by name.
const std::vector<Rule>& rules() {
  static const auto& all = *new std::vector<Rule>{
      {{"AFFINITY", kAffinityForm, "the processors of the threads that run kernels; unset: none"},
       Form::kAffinity},
      integer("CORE_FORKS", 0, 2,
              "whether threads share the small launches of captured runs on the CPU: 0: never; 1: "
              "where measuring says that it pays; 2: wherever they can; unset: 1"),
      integer("EXIT_TIMEOUT", 0, kMostExitSeconds,
              "seconds that queued work may take when the process ends; unset: 60"),
      integer("FORM_CACHE", 0, kMostBytes,
              "bytes that the forms of a compiled function, with their plans and runs, may take; "
              "unset: 256 MiB, or four forms of any size"),
      integer("KERNEL_CACHE", 0, kMostBytes,
              "bytes that the prepared kernels of an executor, and of imperative code, may take; "
              "unset: 32 MiB"),
      {{"LOG", "levels such as debug, or operator=trace,transfer=debug",
        "what is logged; unset: warn"},
       Form::kLogLevels},
      integer("MEMORY_LIMIT", 0, kMostBytes,
              "bytes of host memory to use at most; 0: no limit; unset: 0"),
      integer("PLAN_CACHE", 0, kMostBytes,
              "bytes that the plans of an executor and the memory of their runs may take; "
              "unset: 32 MiB, or four plans of the latest size"),
      {{"PLUGIN_PATH", "directories, with : between",
        "where plugins are looked for, before the install directory; unset: none"},
       Form::kAnything},
      {{"PLUGIN_PROBE", "0 or 1",
        "whether the runner tries plugins in a child process first; unset: 0"},
       Form::kInteger,
       0,
       1},
      integer("SEED", 0, kLargestSeed, "the seed of random operators; unset: 0"),
      integer("SYNC_TIMEOUT", 0, kMostSyncSeconds,
              "seconds that the host waits for a device before it counts as lost; 0: for ever; "
              "unset: 0"),
      integer("THREADS", 1, kMostThreads,
              "how many threads run kernels; unset: OMP_NUM_THREADS, or else the processors that "
              "the process may use"),
  };
  return all;
}

std::optional<std::uint64_t> integer_in(const Rule& rule, const std::string& text) {
  std::uint64_t value = 0;
  const char* last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, value);
  if (error != std::errc() || end != last || value < rule.low || value > rule.high) return {};
  return value;
}

// Says what is wrong with the text; empty if nothing is.
std::string complaint(const Rule& rule, const std::string& text) {
  if (rule.form == Form::kAnything) return {};
  if (rule.form == Form::kInteger) {
    return integer_in(rule, text) ? std::string() : fmt::format("it takes {}", rule.variable.takes);
  }
  try {
    if (rule.form == Form::kAffinity) {
      (void)processors_of_affinity(text);
    } else {
      check_log_levels(text);
    }
    return {};
  } catch (const Error& error) {
    return fmt::format("it takes {}: {}", rule.variable.takes, error.what());
  }
}

std::string problem_with(const Rule& rule, const std::string& value) {
  if (value.empty()) return {};
  const std::string wrong = complaint(rule, value);
  return wrong.empty() ? wrong : fmt::format("is {}; {}", quote(value), wrong);
}

const Rule* rule_of(std::string_view name) {
  for (const Rule& rule : rules()) {
    if (rule.variable.name == name) return &rule;
  }
  return nullptr;
}

void check_all() {
  std::string first;
  std::string others;
  for (const Rule& rule : rules()) {
    const std::string name = rule.variable.name;
    const std::string problem = problem_with(rule, config_value(name).value_or(""));
    if (problem.empty()) continue;
    std::string& list = first.empty() ? first : others;
    list += fmt::format("LOCI_{} {}{}", name, problem, &list == &others ? "\n" : "");
  }
  if (first.empty()) return;
  throw Error(ErrorCode::kInvalidArgument,
              fmt::format("[environment] {}; correct or unset it", first), others);
}

// The values of the variables that take an integer and are set, by name.
using Numbers = std::map<std::string_view, std::uint64_t>;

Numbers read_environment() {
  check_all();
  if (const auto levels = config_value("LOG")) set_log_levels(*levels);
  Numbers numbers;
  for (const Rule& rule : rules()) {
    const std::optional<std::string> text = config_value(rule.variable.name);
    if (rule.form != Form::kInteger || !text) continue;
    if (const auto number = integer_in(rule, *text)) numbers[rule.variable.name] = *number;
  }
  return numbers;
}

// Never destroyed: destructors of other statics may still ask.
const Numbers& numbers_read() {
  // An exception leaves it unmade, so that the next call tries again.
  static const auto& numbers = *new Numbers(read_environment());
  return numbers;
}

}  // namespace

const std::vector<EnvironmentVariable>& environment_variables() {
  static const auto& all = *[] {
    auto* variables = new std::vector<EnvironmentVariable>();
    for (const Rule& rule : rules()) variables->push_back(rule.variable);
    return variables;
  }();
  return all;
}

std::string problem_of(std::string_view name, const std::string& value) {
  const Rule* rule = rule_of(name);
  return rule == nullptr ? std::string() : problem_with(*rule, value);
}

void check_environment() { (void)numbers_read(); }

std::optional<std::uint64_t> configured_number(std::string_view name) {
  const Numbers& read = numbers_read();
  if (const auto chosen = config_override(std::string(name))) {
    return integer_in(*rule_of(name), *chosen);
  }
  const auto found = read.find(name);
  return found == read.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace loci::core
