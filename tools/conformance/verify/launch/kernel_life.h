// Finds what kernels leave behind when they are made and destroyed again and again.
#pragma once

#include <loci/abi/host.h>
#include <loci/abi/kernels.h>

#include <atomic>
#include <cstdint>
#include <string>

namespace loci::verify {

struct KernelMaker {
  const loci_kernels_api& api;
  const loci_host_api& host;
  loci_plugin* plugin;
  const loci_kernel_def* def;
  loci_device* device;
};

// Creates, prepares and destroys a few kernels of that operator, and says what grew with each one:
// "1 allocation of the host table in each life". Empty if nothing did, or they cannot be made.
// `allocations` counts those of the plugin.
std::string left_by_kernels(const KernelMaker& maker, const loci_op_desc& op,
                            const std::atomic<std::int64_t>& allocations);

}  // namespace loci::verify
