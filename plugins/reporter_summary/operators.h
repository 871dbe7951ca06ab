// The operators that took most.
#pragma once

#include <loci/abi/profile.h>

#include <cstdint>
#include <string>
#include <vector>

#include "plugins/reporter_summary/screen.h"

namespace loci::summary {

// Operators of a type at a place.
struct OperatorTotal {
  std::string name;
  std::string place;
  std::uint64_t calls = 0;
  std::uint64_t self_ns = 0;    // host time with its phases, without other spans within it
  std::uint64_t device_ns = 0;  // of what it launched itself
  std::uint64_t flops = 0;
  std::uint64_t bytes = 0;

  // The time that its work took: on the device where there is one that reports it, else the host's;
  // 0, which is not known, at a queued device, where the host only launches.
  std::uint64_t work_ns = 0;
};

// By self time, most first.
std::vector<OperatorTotal> operator_totals(const loci_profile& profile);

// A heading, titles and at most `rows` operators; shares are of self time over all threads, figures
// per second also in percent of the place's peak, measured, else described, where it is known;
// memory's is that of calls which move as many bytes.
void show_operators(const loci_profile& profile, std::size_t rows, Screen& screen);

}  // namespace loci::summary
