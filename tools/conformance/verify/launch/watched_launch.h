// A prepared kernel of the plugin under watch, whose launches are rehearsed and judged.
#pragma once

#include <loci/abi/kernels.h>

#include <atomic>
#include <optional>
#include <string>

#include "tools/conformance/verify/launch/launch_copy.h"
#include "tools/conformance/verify/launch/watch.h"

namespace loci::verify {

// A watched launch stands for a loci_prepared of the plugin's.
struct WatchedLaunch {
  loci_prepared* real;
  loci_error* (*launch)(const loci_prepared*, const loci_launch*);
  Watched* watched;
  loci_device* device;
  std::string call;  // "launch of relu (portable)"
  const loci_kernel_def* def;
  PreparedKernel kernel;
  ArgumentCounts counts;
  const SharedPreparation* other;  // of a shape-agnostic kernel, for other shapes
  mutable std::atomic<bool> is_rehearsed{false};
};

// The function of what is prepared, whose first argument is a WatchedLaunch.
loci_error* launch_watched(const loci_prepared* prepared, const loci_launch* arguments);

// Where copies of a launch are made. Nothing where it cannot be.
std::optional<LaunchPlace> place_of_copies(loci_device* on, const loci_stream* stream);

}  // namespace loci::verify
