// The advice that a profile's figures suggest. Each piece carries the numbers that led to it.
#pragma once

#include <loci/abi/profile.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace loci::report {

struct CopySum;

struct Fact {
  // How the number reads; kText has none.
  enum class Unit { kCount, kNanoseconds, kBytes, kRatio, kText };
  std::string name;
  Unit unit = Unit::kText;
  double number = 0;
  std::string text = {};
};

struct Advice {
  std::string_view rule;  // STATIC; one word: "repeated_copy"
  std::string title;
  std::string text;  // what to do
  // Time that was spent on it: the most that following it could save.
  std::uint64_t cost_ns = 0;
  std::vector<Fact> facts;
};

Fact count_fact(std::string name, std::uint64_t count);
Fact time_fact(std::string name, std::uint64_t ns);
Fact bytes_fact(std::string name, std::uint64_t bytes);
Fact ratio_fact(std::string name, double ratio);
Fact text_fact(std::string name, std::string_view text);

// Adds what following the advice saves in a step: these copies, less `more` others that it brings
// about. Their bytes and time are known only where there are none of those.
void add_savings(Advice& advice, const CopySum& copies, std::uint64_t steps, std::uint64_t more);

// Returns the advice of all rules below, by cost, highest first.
std::vector<Advice> all_advice(const loci_profile& profile);

// Variables that cross between the same places in each step, feeds and fetches aside.
std::vector<Advice> repeated_copy_advice(const loci_profile& profile);
// Variables that leave a place and come back to it, and operators for which values do.
std::vector<Advice> round_trip_advice(const loci_profile& profile);
// Operators whose kernels take less time than launching them does.
std::vector<Advice> tiny_kernel_advice(const loci_profile& profile);
// Kernels that leave most of a device's threads unused.
std::vector<Advice> low_occupancy_advice(const loci_profile& profile);
// Devices that wait for the host, or for copies.
std::vector<Advice> idle_device_advice(const loci_profile& profile);

}  // namespace loci::report
