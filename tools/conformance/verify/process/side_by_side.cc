#include "tools/conformance/verify/process/side_by_side.h"

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "tools/conformance/verify/process/check_groups.h"
#include "tools/conformance/verify/process/left_processes.h"
#include "tools/conformance/verify/process/side_process.h"

namespace loci::verify {
namespace {

using SideProcesses = std::vector<std::unique_ptr<SideProcess>>;

void wait_for_any(const SideProcesses& processes) {
  std::vector<pollfd> waited;
  for (const auto& process : processes) waited.push_back({process->descriptor(), POLLIN, 0});
  if (::poll(waited.data(), waited.size(), /*timeout=*/-1) >= 0 || errno == EINTR) return;
  throw std::system_error(errno, std::generic_category(), "waiting for processes of checks");
}

bool has_something(const SideProcess& process) {
  pollfd waited{process.descriptor(), POLLIN, 0};
  return ::poll(&waited, 1, /*timeout=*/0) > 0;
}

class SideBySide {
 public:
  SideBySide(const std::vector<Check>& checks, std::chrono::milliseconds patience,
             const Progress& progress, Vitality* vitality)
      : checks_(checks),
        patience_(patience),
        progress_(progress),
        vitality_(vitality),
        groups_(groups_of(checks)),
        results_(checks.size()) {}

  std::vector<Result> run(std::size_t jobs) {
    run_groups(jobs);
    run_rest();
    std::vector<Result> results;
    results.reserve(results_.size());
    for (std::optional<Result>& result : results_) results.push_back(std::move(*result));
    return results;
  }

 private:
  void run_groups(std::size_t jobs) {
    LeftProcesses left;
    {
      SideProcesses processes;
      for (std::vector<CheckGroup>& share : share_out(groups_, jobs)) {
        processes.push_back(std::make_unique<SideProcess>(SideWork{
            checks_, count_first_checks(checks_), std::move(share), patience_, vitality_}));
      }
      while (!processes.empty()) read_any(&processes);
    }
    left.end();
  }

  void read_any(SideProcesses* processes) {
    wait_for_any(*processes);
    for (const auto& process : *processes) {
      if (!has_something(*process)) continue;
      process->read([this](std::size_t number, Result result) {
        if (progress_) progress_(result);
        results_[number] = std::move(result);
      });
    }
    processes->erase(std::remove_if(processes->begin(), processes->end(),
                                    [](const auto& process) { return process->is_done(); }),
                     processes->end());
  }

  // Returns the checks that were not told of, or that are of one group with such a one.
  [[nodiscard]] std::vector<std::size_t> numbers_of_rest() const {
    std::vector<bool> is_left(checks_.size());
    for (std::size_t i = 0; i < checks_.size(); ++i) is_left[i] = !results_[i];
    for (const CheckGroup& group : groups_) {
      const bool any = std::any_of(group.begin(), group.end(),
                                   [&](std::size_t number) { return is_left[number]; });
      for (const std::size_t number : group) is_left[number] = any;
    }
    std::vector<std::size_t> numbers;
    for (std::size_t i = 0; i < checks_.size(); ++i) {
      if (is_left[i]) numbers.push_back(i);
    }
    return numbers;
  }

  void run_rest() {
    const std::vector<std::size_t> numbers = numbers_of_rest();
    std::vector<Check> rest;
    rest.reserve(numbers.size());
    for (const std::size_t number : numbers) rest.push_back(checks_[number]);
    std::size_t ended = 0;
    const auto take = [&](const Result& result) {
      std::optional<Result>& before = results_[numbers[ended++]];
      const bool is_told = before && before->outcome == result.outcome;
      before = result;
      if (!is_told && progress_) progress_(result);
    };
    run_isolated(rest, patience_, take, vitality_);
  }

  const std::vector<Check>& checks_;
  std::chrono::milliseconds patience_;
  const Progress& progress_;
  Vitality* vitality_;
  std::vector<CheckGroup> groups_;
  std::vector<std::optional<Result>> results_;
};

// Without them nothing runs beside another check. They run again with the others, who are told.
bool do_first_checks_pass(const std::vector<Check>& checks, std::size_t count,
                          std::chrono::milliseconds patience, Vitality* vitality) {
  if (vitality != nullptr && vitality->is_lost()) return false;
  const auto end = checks.begin() + static_cast<std::ptrdiff_t>(count);
  const std::vector<Result> results =
      run_isolated({checks.begin(), end}, patience, nullptr, vitality);
  return std::all_of(results.begin(), results.end(), [](const Result& result) {
    return result.outcome == Outcome::kPassed || result.outcome == Outcome::kAbsent;
  });
}

}  // namespace

std::vector<Result> run_side_by_side(const std::vector<Check>& checks, std::size_t jobs,
                                     std::chrono::milliseconds patience, const Progress& progress,
                                     Vitality* vitality) {
  const std::size_t first = count_first_checks(checks);
  if (jobs <= 1 || first == checks.size() ||
      !do_first_checks_pass(checks, first, patience, vitality)) {
    return run_isolated(checks, patience, progress, vitality);
  }
  return SideBySide(checks, patience, progress, vitality).run(jobs);
}

}  // namespace loci::verify
