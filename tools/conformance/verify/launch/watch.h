// The plugin whose launches are watched, and what is known of it. Of a process there is one.
#pragma once

#include <loci/abi/device.h>
#include <loci/abi/kernels.h>
#include <loci/abi/plugin.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "tools/conformance/verify/busy_work.h"
#include "tools/conformance/verify/launch/rehearsal.h"
#include "tools/conformance/verify/launch/shared_preparations.h"

namespace loci::verify {

// So many launches of one implementation are rehearsed: those on kLargeBytes, which take long
// enough to meet, and smaller ones.
inline constexpr int kLargeRehearsals = 6;
inline constexpr int kRehearsals = 24;

// Counts rehearsals of launches of one size.
struct Rehearsals {
  std::atomic<int> left;
  OverlapCounts overlaps = {};
};

// The facts and counts that are known of one implementation.
struct Watched {
  std::string name;  // "relu (portable)"
  bool lived = false;
  bool returns_early = false;
  int late = 0;
  int takings = 0;
  Rehearsals small{kRehearsals};
  Rehearsals large{kLargeRehearsals};
  // On more than LaunchCopy::kMostBytes: the aliases that were tried, "0 in 1", and how often more
  // may be.
  std::set<std::string> aliases_tried = {};
  std::atomic<int> left_for_aliases{kRehearsals};
};

// Everything of the plugin under watch. Made once, and for ever.
struct Watch {
  std::string path;
  loci_plugin_desc desc{};
  loci_plugin_desc own_desc{};
  loci_host_api host{};
  loci_host_api own_host{};
  loci_plugin* plugin = nullptr;
  loci_device_api device{};
  loci_kernels_api kernels{};
  loci_kernels_api own_kernels{};

  std::mutex mutex;
  std::vector<std::string> findings;
  std::set<std::string> told;
  std::map<const loci_kernel_def*, Watched> watched;
  std::map<loci_device*, std::unique_ptr<BusyWork>> busy;
  std::map<std::uint32_t, std::string> layouts;  // what their plugin says of them
  std::atomic<std::int64_t> allocations{0};
  SharedPreparations shared;

  void tell(std::string finding) {
    if (finding.empty()) return;
    const std::lock_guard lock(mutex);
    if (told.insert(finding).second) findings.push_back(std::move(finding));
  }
};

// Made once, and for ever.
Watch& watch();

Watched& watched_of(const loci_kernel_def* def);

// The launch that this thread is in; NULL outside.
const Watched* launching();
// Sets it, and gives what was.
const Watched* exchange_launching(const Watched* launch);

}  // namespace loci::verify
