// Which side of a copy a cast runs on.
#pragma once

#include <string>
#include <vector>

#include "framework/execution/plan.h"
#include "framework/program/program_impl.h"

namespace loci::planning {

// A cast without a guard, about to be placed.
struct CastToPlace {
  const program::Block& block;
  const program::Operator& op;
  std::size_t element_bytes_in = 0;
  std::size_t element_bytes_out = 0;
  execution::Space input = nullptr;  // where its input lies
  device::Device& preferred;
  const std::vector<std::string>& fetches;  // names
};

// Where fewer bytes are copied than at the executor's place: a cast to fewer bytes runs where its
// input lies, one to more bytes where all that read its result run. Null if the executor's place is
// as good.
device::Device* cheaper_side(const CastToPlace& cast);

}  // namespace loci::planning
