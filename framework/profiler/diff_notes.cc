#include "framework/profiler/diff_notes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "framework/core/quote.h"
#include "framework/profiler/abi_text.h"

namespace loci::profiler {
namespace {

std::string places_of(const loci_profile& profile) {
  std::vector<std::string_view> places;
  for (std::size_t i = 0; i < profile.device_count; ++i) {
    places.push_back(to_view(profile.devices[i].place));
  }
  return fmt::format("{}", fmt::join(places, ", "));
}

std::string level_name(std::uint32_t level) {
  constexpr std::array<std::string_view, 3> kNames = {"off", "op", "detail"};
  return std::string(kNames.at(level));
}

std::uint64_t dropped(const loci_profile& profile) {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < profile.quality->drop_count; ++i) {
    count += profile.quality->drops[i].count;
  }
  return count;
}

class Notes {
 public:
  Notes(const loci_profile& a, const loci_profile& b) : a_(a), b_(b) {}

  void compare(std::string_view what, std::string_view a, std::string_view b) {
    if (a == b) return;
    notes_.push_back(
        fmt::format("the {} differ: {} in A, {} in B", what, core::quote(a), core::quote(b)));
  }
  void say_dropped(std::string_view side, const loci_profile& profile) {
    if (const std::uint64_t count = dropped(profile); count > 0) {
      notes_.push_back(fmt::format("{} records of {} were lost", count, side));
    }
  }
  void say_steps(std::string_view side, const loci_profile& profile) {
    if (profile.step_count > 0) return;
    notes_.push_back(fmt::format("{} has no steps: its session counts as one", side));
  }
  void say_threads(std::string_view side, const loci_profile& profile) {
    if (profile.thread_count < 2) return;
    notes_.push_back(fmt::format("of the {} threads of {}, the main one is compared",
                                 profile.thread_count, side));
  }

  std::vector<std::string> make() {
    compare("machines", to_view(a_.machine), to_view(b_.machine));
    compare("programs", to_view(a_.program), to_view(b_.program));
    compare("versions", to_view(a_.version), to_view(b_.version));
    compare("builds", to_view(a_.build), to_view(b_.build));
    compare("places", places_of(a_), places_of(b_));
    compare("levels", level_name(a_.level), level_name(b_.level));
    say_steps("A", a_);
    say_steps("B", b_);
    say_threads("A", a_);
    say_threads("B", b_);
    say_dropped("A", a_);
    say_dropped("B", b_);
    return std::move(notes_);
  }

 private:
  const loci_profile& a_;
  const loci_profile& b_;
  std::vector<std::string> notes_;
};

}  // namespace

std::vector<std::string> diff_notes(const Profile& a, const Profile& b) {
  return Notes(a.abi(), b.abi()).make();
}

}  // namespace loci::profiler
