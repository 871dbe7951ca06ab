// How long devices were busy.
#pragma once

#include <loci/abi/profile.h>

#include <vector>

#include "framework/profiler/attribution.h"
#include "framework/profiler/call_tree.h"
#include "framework/profiler/recording.h"

namespace loci::profiler {

std::vector<loci_profile_device> describe_devices(const Recording& recording,
                                                  const DeviceWork& work);

// Sets device_union_ns of all nodes: work on several streams or devices at one time counts once.
void unite_device_time(const Nesting& nesting, const DeviceWork& work, CallTrees& trees);

}  // namespace loci::profiler
