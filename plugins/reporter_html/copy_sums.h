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

// Copies that cross, feeds and fetches aside: those bring in what is new and take out what was
// asked for.
std::map<CopyKey, CopySum> avoidable_copies(const loci_profile& profile);
// Whether a copy is among them.
bool may_be_avoidable(const loci_profile& profile, const loci_profile_copy& copy);
CopySum sum_of(const loci_profile& profile, const loci_profile_copy& copy);

// What crosses to an operator and back to where it came from.
struct RoundTrip {
  CopySum in;
  CopySum out;
};
// Operator, its place, the place that its values come from and go to.
using StopKey = std::tuple<std::string_view, std::string_view, std::string_view>;
std::map<StopKey, RoundTrip> operator_round_trips(const loci_profile& profile);

}  // namespace loci::report
