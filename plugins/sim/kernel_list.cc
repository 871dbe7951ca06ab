#include "plugins/sim/kernel_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <loci/plugin/error.hpp>

namespace loci::sim {
namespace {

// How many kernels there were.
std::size_t leave_out(std::string_view op, kernels::KernelDefs* list) {
  const auto end = std::remove_if(list->begin(), list->end(),
                                  [op](const sdk::KernelDef& kernel) { return kernel.op == op; });
  const auto count = static_cast<std::size_t>(list->end() - end);
  list->erase(end, list->end());
  return count;
}

}  // namespace

kernels::KernelDefs sim_kernels(std::string_view without) {
  kernels::KernelDefs list = kernels::portable_kernels();
  // A launch here is an entry of the stream's queue, with copies of its arguments.
  for (sdk::KernelDef& kernel : list) kernel.flags |= LOCI_KERNEL_CAPTURABLE;
  for (const std::string_view op : absent_ops()) leave_out(op, &list);
  while (!without.empty()) {
    const std::string_view op = without.substr(0, without.find('+'));
    without.remove_prefix(std::min(without.size(), op.size() + 1));
    if (leave_out(op, &list) > 0) continue;
    throw sdk::Error(LOCI_CODE_INVALID_ARGUMENT,
                     fmt::format("[sim] LOCI_SIM: without names '{}', of which there is no kernel; "
                                 "give names of ops with + between them",
                                 op));
  }
  return list;
}

}  // namespace loci::sim
