#include "tools/loci/profile/diff_notes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <loci/abi/profile.h>

#include <array>
#include <string_view>
#include <utility>

#include "tools/loci/shown.h"

namespace loci::runner {
namespace {

using profiling::RunFacts;

std::string places_of(const RunFacts& facts) {
  return fmt::format("{}", fmt::join(facts.places, ", "));
}

std::string_view level_name(const RunFacts& facts) {
  constexpr std::array<std::string_view, LOCI_PROFILE_LEVEL_DETAIL + 1> kNames = {"off", "op",
                                                                                  "detail"};
  return kNames.at(facts.level);
}

class Notes {
 public:
  explicit Notes(const profiling::ProfileDiff& diff) : a_(diff.a), b_(diff.b) {}

  std::vector<std::string> make() {
    compare("machines", a_.machine, b_.machine);
    compare("programs", a_.program, b_.program);
    compare("versions", a_.version, b_.version);
    compare("builds", a_.build, b_.build);
    compare("places", places_of(a_), places_of(b_));
    compare("levels", level_name(a_), level_name(b_));
    say_steps("A", a_);
    say_steps("B", b_);
    say_threads("A", a_);
    say_threads("B", b_);
    say_lost("A", a_);
    say_lost("B", b_);
    return std::move(notes_);
  }

 private:
  void compare(std::string_view what, std::string_view a, std::string_view b) {
    if (a == b) return;
    notes_.push_back(
        fmt::format("the {} differ: {} in A, {} in B", what, shown_text(a), shown_text(b)));
  }
  void say_steps(std::string_view side, const RunFacts& facts) {
    if (facts.steps > 0) return;
    notes_.push_back(fmt::format("{} has no steps: its session counts as one", side));
  }
  void say_threads(std::string_view side, const RunFacts& facts) {
    if (facts.threads < 2) return;
    notes_.push_back(
        fmt::format("of the {} threads of {}, the main one is compared", facts.threads, side));
  }
  void say_lost(std::string_view side, const RunFacts& facts) {
    if (facts.lost_records == 0) return;
    notes_.push_back(fmt::format("{} records of {} were lost", facts.lost_records, side));
  }

  const RunFacts& a_;
  const RunFacts& b_;
  std::vector<std::string> notes_;
};

}  // namespace

std::vector<std::string> diff_notes(const profiling::ProfileDiff& diff) {
  return Notes(diff).make();
}

}  // namespace loci::runner
