// The framework's own rows of a profile: parts of it under fixed names.
#pragma once

#include <cstdint>

#include "framework/profiler/label_table.h"
#include "framework/profiler/scope.h"

namespace loci::profiler {

// The parts.
enum class Part : std::uint8_t {
  kRun,            // one run of an executor
  kFeed,           // binds and copies what is fed
  kFetch,          // makes and copies what is fetched
  kInitVariables,  // makes and moves persistable variables before a run
  kEagerRelease,   // gives back the memory of a run
  kCompilePlan,
  kLoadPlugin,
  kCaptureGraph,      // makes a graph of what was recorded
  kInstantiateGraph,  // makes what launches a graph of the device's
  kReplayGraph,       // launches it
  kPrepareData,       // phases of an operator
  kInferShape,
  kCompute,
  kCount
};

// Interned at the first use of any.
LabelId label_of(Part part);

}  // namespace loci::profiler
