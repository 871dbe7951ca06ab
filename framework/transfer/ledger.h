// The ledger in which transfer.cc writes copies down.
#pragma once

#include "framework/transfer/transfer.h"

namespace loci::transfer {

// Adds the row, and logs it at transfer=debug.
void record(const Row& row);
// Adds the row of a packed constant, which counts as a copy within one memory space.
void record_pack(const Row& row);
// Counts a copy within one memory space.
void record_local(std::uint64_t bytes);

}  // namespace loci::transfer
