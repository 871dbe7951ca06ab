#include "tools/conformance/verify/process/isolation.h"

#include <chrono>
#include <cstdio>
#include <optional>
#include <utility>

#include "tools/conformance/verify/process/check_process.h"
#include "tools/conformance/verify/process/last_words.h"

namespace loci::verify {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kQuotedBytes = 300;

std::string describe_death(std::string how, const std::string& said) {
  if (how.empty()) how = "the process ended";
  const LastWords words = take_last_words();
  if (!words.call.empty()) how += fmt::format(" in {}", words.call);
  if (!words.call.empty() && !words.device.empty()) how += fmt::format(" of {}", words.device);
  if (!words.death.empty()) how += fmt::format(": {}", words.death);
  if (said.empty()) return how;
  std::string quoted = said.substr(0, kQuotedBytes);
  while (!quoted.empty() && quoted.back() == '\n') quoted.pop_back();
  for (char& c : quoted) {
    if (c == '\n') c = ' ';
  }
  return fmt::format("{}; it said: {}", how, quoted);
}

class IsolatedRun {
 public:
  IsolatedRun(const std::vector<Check>& checks, std::chrono::milliseconds patience,
              const Progress& progress, Vitality* vitality)
      : checks_(checks), patience_(patience), progress_(progress), vitality_(vitality) {}

  std::vector<Result> run() {
    while (!is_finished() && !is_lost() && lost_behind_.empty()) run_process();
    while (!is_finished()) {
      add({Outcome::kSkipped, is_lost() ? fmt::format("the device does not work since {}: {}",
                                                      vitality_->lost_in, vitality_->cause)
                                        : lost_behind_});
    }
    return std::move(results_);
  }

 private:
  [[nodiscard]] bool is_finished() const { return results_.size() == checks_.size(); }
  [[nodiscard]] bool is_lost() const { return vitality_ != nullptr && vitality_->is_lost(); }

  void add(Verdict verdict) {
    const Clock::time_point now = Clock::now();
    const std::chrono::nanoseconds took = now - std::exchange(begun_, now);
    results_.push_back({std::move(verdict), checks_[results_.size()].name, took});
    if (progress_) progress_(results_.back());
  }

  // From one that is started to its end.
  void run_process() {
    static const std::function<void()> kNone;
    begun_ = Clock::now();
    const bool probes_first = vitality_ != nullptr && !vitality_->suspect.empty();
    CheckProcess process({checks_, results_.size(), vitality_ == nullptr ? kNone : vitality_->probe,
                          probes_first, vitality_ != nullptr && vitality_->probes_behind_all});
    std::optional<Verdict> probed;
    if (probes_first && !read_probe(process, &probed)) return lose(process, probed);
    const bool ended_early = !read_checks(process);
    const std::string death = process.wait(patience_);
    const std::string said = process.said();
    // A probe that failed, or that it died in, is no failure of the next check.
    const bool died_in_check = !is_finished() && !in_probe_;
    if (died_in_check) add({Outcome::kFailed, describe_death(death, said)});
    if (!died_in_check || said.size() > kQuotedBytes) std::fputs(said.c_str(), stderr);
    in_probe_ = false;
    if (vitality_ != nullptr) vitality_->suspect = ended_early ? results_.back().check : "";
  }

  // False if there is none, or it says that the device does not work.
  bool read_probe(CheckProcess& process, std::optional<Verdict>* probed) {
    Verdict verdict;
    if (!process.read(patience_, &verdict)) return false;
    *probed = verdict;
    return verdict.outcome != Outcome::kFailed;
  }

  // False if the process has ended before the checks did.
  bool read_checks(CheckProcess& process) {
    Verdict verdict;
    while (!is_finished()) {
      if (!process.read(patience_, &verdict)) return false;
      const bool failed = verdict.outcome == Outcome::kFailed;
      if (!failed || vitality_ == nullptr) {
        add(std::move(verdict));
        continue;
      }
      std::optional<Verdict> probed;
      const bool works = read_probe(process, &probed);
      if (probed && probed->device_lost) note_loss(probed->message, &verdict.message);
      add(std::move(verdict));
      if (works) continue;
      in_probe_ = true;
      return false;
    }
    return true;
  }

  // The check that is the next one has lost the device, which is told in its message.
  void note_loss(const std::string& cause, std::string* message) {
    lost_behind_ =
        fmt::format("the device was lost in {}: {}", checks_[results_.size()].name, cause);
    const bool says_more = cause.find(*message) == std::string::npos;
    *message = fmt::format("the device was lost in it: {}{}{}", cause, says_more ? "; " : "",
                           says_more ? *message : "");
  }

  void lose(CheckProcess& process, const std::optional<Verdict>& probed) {
    vitality_->cause = probed ? probed->message : "";
    const std::string death = process.wait(patience_);
    if (!probed) vitality_->cause = describe_death(death, process.said());
    vitality_->lost_in = vitality_->suspect;
  }

  const std::vector<Check>& checks_;
  std::chrono::milliseconds patience_;
  const Progress& progress_;
  Vitality* vitality_;
  std::vector<Result> results_;
  std::string lost_behind_;  // why no check follows, where the plugin said that its device is lost
  Clock::time_point begun_ = Clock::now();  // the check that is the next one
  bool in_probe_ = false;                   // the process did not come out of a probe, or not well
};

}  // namespace

std::vector<Result> run_isolated(const std::vector<Check>& checks,
                                 std::chrono::milliseconds patience, const Progress& progress,
                                 Vitality* vitality) {
  share_last_words();
  return IsolatedRun(checks, patience, progress, vitality).run();
}

}  // namespace loci::verify
