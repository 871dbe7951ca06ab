#include "tools/conformance/verify/verify.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <loci/error.hpp>
#include <loci/place.hpp>
#include <regex>
#include <utility>

#include "framework/core/suggest.h"
#include "tools/conformance/verify/device_probe.h"
#include "tools/conformance/verify/levels.h"
#include "tools/conformance/verify/process/side_by_side.h"

namespace loci::verify {
namespace {

constexpr std::chrono::milliseconds kSlow{100};
constexpr std::size_t kMostSlow = 10;

// They look at the file alone, so that they say something about one that cannot be loaded.
bool needs_no_loading(const std::string& check) {
  return check == "abi/manifest" || check == "abi/exported_symbols" || check == "abi/dependencies";
}

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorCode::kInvalidArgument, "[verify] " + message);
}

void check_levels(const std::vector<std::string>& levels) {
  const std::vector<std::string>& known = level_names();
  for (const std::string& level : levels) {
    if (std::find(known.begin(), known.end(), level) != known.end()) continue;
    refuse(fmt::format("there is no level '{}'; there are {}", level, fmt::join(known, ", ")));
  }
}

std::regex filter_of(const std::string& pattern) {
  try {
    return std::regex(pattern, std::regex::ECMAScript | std::regex::nosubs);
  } catch (const std::regex_error& error) {
    refuse(fmt::format("the filter '{}' is no regular expression: {}", pattern, error.what()));
  }
}

// Where there is no device type, no check that needs a place runs.
Place place_of(const std::string& text, const plugins::Candidate& manifest) {
  const std::vector<std::string>& types = manifest.device_types;
  if (types.empty()) return Place("cpu");
  if (text.empty()) return Place(types.front(), 0);
  const Place place(text);
  if (std::find(types.begin(), types.end(), place.type()) == types.end()) {
    refuse(
        fmt::format("the plugin brings no place '{}'; it brings {}", text, fmt::join(types, ", ")));
  }
  return Place(place.type(), place.has_index() ? place.index() : 0);
}

std::vector<Check> device_level(const std::string& level, const Target& target) {
  if (level == "abi") return abi_level(target);
  if (level == "life") return life_level(target);
  if (level == "mem") return mem_level(target);
  if (level == "order") return order_level(target);
  if (level == "fault") return fault_level(target);
  return profile_level(target);
}

// They say something about a plugin whose device does not work, or that has none.
bool needs_no_device(const std::string& check) {
  return check.rfind("abi/", 0) == 0 || check.rfind("profile/reporter", 0) == 0;
}

Check without_loading(Check check) {
  if (needs_no_loading(check.name)) return check;
  check.run = [] {
    return Verdict{Outcome::kSkipped, "the manifest is not in order: see abi/manifest"};
  };
  return check;
}

class Verification {
 public:
  Verification(Options options, const Listener& listener)
      : options_(std::move(options)),
        listener_(listener),
        filter_(filter_of(options_.filter)),
        target_{plugins::inspect(options_.file)} {
    check_levels(options_.levels);
    const Place place = place_of(options_.place, target_.manifest);
    target_.index = static_cast<std::uint32_t>(place.index());
    ops_ = {place.to_string(), options_.directories};
    report_.file = target_.manifest.path;
    report_.id = target_.manifest.id;
    report_.version = target_.manifest.version;
    report_.place = ops_.place;
  }

  Report run() {
    std::size_t selected = 0;
    for (const std::string& level : level_names()) {
      const auto& wanted = options_.levels;
      const bool is_wanted = std::find(wanted.begin(), wanted.end(), level) != wanted.end();
      const std::vector<Check> checks = select(checks_of(level, is_wanted), is_wanted);
      if (!is_wanted) continue;
      selected += checks.size();
      run(level, checks);
    }
    if (selected == 0) refuse_filter();
    report_.exclusions = options_.exclusions.entries();
    return std::move(report_);
  }

 private:
  // Also of a level that is not wanted, since exclusions may name its checks. Sets what shows that
  // its device works.
  std::vector<Check> checks_of(const std::string& level, bool is_wanted) {
    vitality_.probe = [target = target_] { probe_device(target); };
    vitality_.probes_behind_all = level == "ops";  // where it takes no device to be opened
    if (level != "ops" && level != "capture") return device_level(level, target_);
    const bool can_ask = is_wanted && !target_.manifest.failed && !vitality_.is_lost();
    const Brought brought = can_ask ? ask_what_it_brings(target_, options_.patience) : Brought();
    if (level == "capture") return capture_level(target_, ops_, brought);
    OpsLevel ops = ops_level(target_, ops_, brought, options_.own_cases);
    vitality_.probe = std::move(ops.probe);
    return std::move(ops.checks);
  }

  void add_names(const std::string& check) {
    wanted_names_.push_back(check);
    wanted_names_.push_back(check.substr(check.find('/') + 1));
  }

  std::vector<Check> select(std::vector<Check> checks, bool is_wanted) {
    std::vector<Check> selected;
    for (Check& check : checks) {
      options_.exclusions.know(check.name);
      if (is_wanted) add_names(check.name);
      if (!std::regex_search(check.name, filter_)) continue;
      selected.push_back(target_.manifest.failed ? without_loading(std::move(check))
                                                 : std::move(check));
    }
    return selected;
  }

  // Who misspells a name does not mean that nothing is wrong.
  [[noreturn]] void refuse_filter() const {
    refuse(fmt::format(
        "no check of the levels {} matches the filter '{}'{}; without --filter all run, "
        "and a report names them",
        fmt::join(options_.levels, ", "), options_.filter,
        core::suggest(options_.filter, wanted_names_)));
  }

  void run(const std::string& level, std::vector<Check> checks) {
    LevelReport& report = report_.levels.emplace_back();
    report.name = level;
    if (listener_.level_begins) listener_.level_begins(level, checks.size());
    const auto needing =
        std::stable_partition(checks.begin(), checks.end(),
                              [](const Check& check) { return needs_no_device(check.name); });
    run({checks.begin(), needing}, nullptr, &report);
    run({needing, checks.end()}, vitality_.probe ? &vitality_ : nullptr, &report);
  }

  void run(const std::vector<Check>& checks, Vitality* vitality, LevelReport* report) {
    // The exclusions of the report count each check once, in its order.
    Exclusions told = options_.exclusions;
    const auto tell = [&](Result result) {
      if (!listener_.check_ended) return;
      judge(&result, &told);
      listener_.check_ended(result);
    };
    for (Result& result :
         run_side_by_side(checks, options_.jobs, options_.patience, tell, vitality)) {
      judge(&result, &options_.exclusions);
      report->results.push_back(std::move(result));
    }
  }

  void judge(Result* result, Exclusions* exclusions) const {
    exclusions->apply(*result);
    if (options_.complete && result->outcome == Outcome::kAbsent) {
      result->outcome = Outcome::kFailed;
    }
  }

  Options options_;
  const Listener& listener_;
  std::regex filter_;
  Target target_;
  OpsOptions ops_;
  Vitality vitality_;
  // Names the checks of the levels that are wanted, each whole and without its level.
  std::vector<std::string> wanted_names_;
  Report report_;
};

}  // namespace

const std::vector<std::string>& level_names() {
  static const std::vector<std::string> kNames{"abi",   "life",    "mem",     "order",
                                               "fault", "profile", "capture", "ops"};
  return kNames;
}

Counts LevelReport::counts() const {
  Counts counts;
  for (const Result& result : results) ++counts[result.outcome];
  return counts;
}

Counts Report::counts() const {
  Counts sum;
  for (const LevelReport& level : levels) {
    for (const auto& [outcome, count] : level.counts()) sum[outcome] += count;
  }
  return sum;
}

std::vector<Result> Report::failures() const {
  std::vector<Result> failed;
  for (const LevelReport& level : levels) {
    std::copy_if(level.results.begin(), level.results.end(), std::back_inserter(failed),
                 [](const Result& result) { return result.outcome == Outcome::kFailed; });
  }
  return failed;
}

std::vector<Exclusion> Report::stale() const {
  std::vector<Exclusion> stale;
  std::copy_if(exclusions.begin(), exclusions.end(), std::back_inserter(stale),
               [](const Exclusion& exclusion) { return exclusion.is_stale(); });
  return stale;
}

std::vector<Result> Report::slowest() const {
  std::vector<Result> slow;
  for (const LevelReport& level : levels) {
    std::copy_if(level.results.begin(), level.results.end(), std::back_inserter(slow),
                 [](const Result& result) { return result.took >= kSlow; });
  }
  std::stable_sort(slow.begin(), slow.end(),
                   [](const Result& one, const Result& two) { return one.took > two.took; });
  slow.resize(std::min(slow.size(), kMostSlow));
  return slow;
}

Report verify(Options options, const Listener& listener) {
  return Verification(std::move(options), listener).run();
}

}  // namespace loci::verify
