// The rows of one table: the events of a list, or of all lists, by path.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "plugins/reporter_classic/event_lists.h"
#include "plugins/reporter_classic/settings.h"

namespace loci::classic {

inline constexpr std::uint32_t kNoRow = UINT32_MAX;
// A table of all threads has this for its thread.
inline constexpr std::uint32_t kAllThreads = UINT32_MAX;

// The time of a call is that of the host, of the device, or their sum, as the state says.
struct Row {
  PathId path = kNoPath;
  Role role = Role::kOrdinary;
  std::uint32_t parent = kNoRow;  // the row of the path around
  std::uint64_t calls = 0;
  std::uint64_t total_ns = 0;
  std::uint64_t min_ns = 0;
  std::uint64_t max_ns = 0;
  std::uint64_t cpu_ns = 0;
  std::uint64_t gpu_ns = 0;
  std::vector<std::uint32_t> children;  // that are shown below it, in their order
};

// Returns the mean time of a call; the whole of a row that has only parts of calls.
double mean_ns(const Row& row);

struct RowTable {
  std::uint32_t thread = kAllThreads;
  std::vector<Row> rows;            // in order of the ends of their first calls
  std::vector<std::uint32_t> tops;  // rows without a parent, in their order
  std::uint64_t tops_ns = 0;        // the sum of their totals: the whole of every ratio
};

// Makes one table of all lists, one after the other.
RowTable merged_table(const EventLists& events, const Settings& settings);
// Makes the table of one list; runs that were spread over threads are no rows of it.
RowTable thread_table(const EventLists& events, const EventList& list, const Settings& settings);

// "mul", "mul/compute" for a phase; with a thread, what stands outermost is "thread1::mul".
std::string printed_name(const Paths& paths, PathId path, std::uint32_t thread);
// The characters of the longest name of the table, shown or not, without indentation.
std::size_t name_width(const Paths& paths, const RowTable& table, const Settings& settings);

}  // namespace loci::classic
