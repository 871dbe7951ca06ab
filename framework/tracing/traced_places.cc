// Where traced operators run. A program says it only of those that the user put somewhere, or whose
// tensors lie elsewhere than the function runs; all else follows whoever runs the program.
#include "framework/program/builder.h"
#include "framework/program/guard_text.h"
#include "framework/tracing/tracer.h"

namespace loci::tracing {

using program::Standing;

Tracer::Spot Tracer::spot_of(const Tensor& tensor) const {
  const auto found = known_.find(tensor.impl().get());
  return {tensor.place(), found != known_.end() && found->second.is_place_said};
}

std::vector<Tracer::Spot> Tracer::spots_of(const std::vector<Tensor>& tensors) const {
  std::vector<Spot> spots;
  spots.reserve(tensors.size());
  for (const Tensor& tensor : tensors) spots.push_back(spot_of(tensor));
  return spots;
}

// Places a call as imperative code does: at the guard's place, else where its tensors are.
Tracer::Spot Tracer::result_spot(const OpCall<Tensor>& call) const {
  const std::string& guard = program::current_guard();
  if (!guard.empty()) {
    return {program::guarded_place(guard), program::standing_of(guard) != Standing::kFound};
  }
  Spot result;
  for (const Tensor& value : call.values) {
    const Spot spot = spot_of(value);
    if (result.place.is_host() && !spot.place.is_host()) result = {spot.place, false};
    if (spot.place == result.place) result.is_said = result.is_said || spot.is_said;
  }
  return result;
}

std::string Tracer::guard_for(const Spot& spot) const {
  const std::string& guard = program::current_guard();
  const bool is_found = !guard.empty() && program::standing_of(guard) == Standing::kFound;
  if (!guard.empty() && !is_found) return guard;
  if (spot.is_said) return program::guard_text(spot.place, Standing::kMoved);
  // A value that is on the host because nobody said where follows the function.
  const bool follows = spot.place == usual_place_ || (spot.place.is_host() && !is_found);
  return follows ? std::string() : program::guard_text(spot.place, Standing::kFound);
}

}  // namespace loci::tracing
