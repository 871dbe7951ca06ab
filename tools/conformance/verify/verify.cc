#include "tools/conformance/verify/verify.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <loci/error.hpp>
#include <loci/place.hpp>
#include <regex>
#include <utility>

#include "tools/conformance/verify/device_probe.h"
#include "tools/conformance/verify/levels.h"

namespace loci::verify {
namespace {

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
  Verification(Options options, const Progress& progress)
      : options_(std::move(options)),
        progress_(progress),
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
    for (const std::string& level : level_names()) {
      const auto& wanted = options_.levels;
      const bool is_wanted = std::find(wanted.begin(), wanted.end(), level) != wanted.end();
      const std::vector<Check> checks = select(checks_of(level, is_wanted));
      if (is_wanted) run(level, checks);
    }
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

  std::vector<Check> select(std::vector<Check> checks) {
    std::vector<Check> selected;
    for (Check& check : checks) {
      options_.exclusions.know(check.name);
      if (!std::regex_search(check.name, filter_)) continue;
      selected.push_back(target_.manifest.failed ? without_loading(std::move(check))
                                                 : std::move(check));
    }
    return selected;
  }

  void run(const std::string& level, std::vector<Check> checks) {
    LevelReport& report = report_.levels.emplace_back();
    report.name = level;
    const auto needing =
        std::stable_partition(checks.begin(), checks.end(),
                              [](const Check& check) { return needs_no_device(check.name); });
    run({checks.begin(), needing}, nullptr, &report);
    run({needing, checks.end()}, vitality_.probe ? &vitality_ : nullptr, &report);
  }

  void run(const std::vector<Check>& checks, Vitality* vitality, LevelReport* report) {
    const auto judge = [&](const Result& result) {
      report->results.push_back(result);
      Result& judged = report->results.back();
      options_.exclusions.apply(judged);
      if (options_.complete && judged.outcome == Outcome::kAbsent)
        judged.outcome = Outcome::kFailed;
      if (progress_) progress_(judged);
    };
    run_isolated(checks, options_.patience, judge, vitality);
  }

  Options options_;
  const Progress& progress_;
  std::regex filter_;
  Target target_;
  OpsOptions ops_;
  Vitality vitality_;
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

Report verify(Options options, const Progress& progress) {
  return Verification(std::move(options), progress).run();
}

}  // namespace loci::verify
