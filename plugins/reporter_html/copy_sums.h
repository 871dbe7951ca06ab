// Copies between places, summed by variable and direction.
#pragma once

#include <loci/abi/profile.h>

#include <cstdint>
#include <map>
#include <string_view>
#include <tuple>

namespace loci::report {

struct CopySum {
  std::uint64_t calls = 0;
  std::uint64_t waited = 0;
  std::uint64_t bytes = 0;
  std::uint64_t host_ns = 0;
  std::uint64_t device_ns = 0;
  const loci_profile_label* label = nullptr;  // of the first one added

  CopySum& operator+=(const CopySum& other);
};

// Variable, source, target.
using CopyKey = std::tuple<std::string_view, std::string_view, std::string_view>;

// Copies that cross, but for feeds, fetches and explicit ones, which bring in what is new and take
// out what was asked for, and for loads and packing of parameters, which are done once and are of
// no step.
std::map<CopyKey, CopySum> avoidable_copies(const loci_profile& profile);
// Returns true if a copy is among the avoidable ones.
bool may_be_avoidable(const loci_profile& profile, const loci_profile_copy& copy);
CopySum sum_of(const loci_profile& profile, const loci_profile_copy& copy);

// How many of a copy make it one of each step, or of almost each: a step that starts the program
// up, or evaluates, may do without. At least `least`.
std::uint64_t habit_of(const loci_profile& profile, std::uint64_t least);

// The copies that cross to an operator and back to where they came from.
struct RoundTrip {
  CopySum in;
  CopySum out;
};
// Operator, its place, the place that its values come from and go to.
// In each step, or almost.
using StopKey = std::tuple<std::string_view, std::string_view, std::string_view>;
std::map<StopKey, RoundTrip> operator_round_trips(const loci_profile& profile);

}  // namespace loci::report
