// A kernel leaves this of an index outside of its table; for both sides of a launch.
#pragma once

#include <cstdint>

namespace loci::cuda {

// In memory of the host, which is there when the context is not any more.
struct IndexFault {
  std::uint32_t is_taken;    // by the thread that writes it
  std::uint32_t is_written;  // all the rest
  std::int64_t index;
  std::int64_t position;  // among the indices of the launch
  std::int64_t first;    // of the rows that an index may name; below 0 if it may count from the end
  std::int64_t rows;     // of the table
  const char* argument;  // of the host: "ids of embedding"
};

// Where a launch leaves it, and as what.
struct IndexWatch {
  IndexFault* fault;
  const char* argument;  // STATIC
};

}  // namespace loci::cuda
