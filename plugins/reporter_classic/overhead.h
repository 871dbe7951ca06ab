// The classic report says this above its table of events: how the time divides, and what copies
// between places took.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "plugins/reporter_classic/row_table.h"

namespace loci::classic {

// Shares are of the elapsed time, and added up row by row in single precision, as the model has
// them: the sixth digit goes by that.
struct CopyTotal {
  const char* name;
  std::uint64_t calls = 0;
  std::uint64_t total_ns = 0;
  float share = 0;
};

struct Overhead {
  bool is_spread = false;            // a run was spread over threads
  std::uint64_t elapsed_ns = 0;      // of the rows on top
  std::uint64_t accumulated_ns = 0;  // of the rows on top, and within a spread run of what it holds
  std::uint64_t compute_ns = 0;      // of the phases "compute", not those within another one
  float compute_share = 0;
  std::array<CopyTotal, 4> copies{
      {{"GpuMemcpyAsync"}, {"GpuMemcpySync"}, {"GpuMemcpyPeerAsync"}, {"GpuMemcpyPeerSync"}}};
};

Overhead overhead_of(const Paths& paths, const RowTable& table);

// Both blocks. Form 1.8 takes as framework overhead what of the elapsed time is not computation: it
// is negative where threads computed at the same time. 2.x takes it from the accumulated time.
std::string overhead_text(const Overhead& overhead, Form form);

}  // namespace loci::classic
