// Which functions of the capturer fail on purpose: LOCI_SIM_GRAPH_<KEY>=value, see README.md.
#pragma once

#include <atomic>
#include <cstdint>
#include <loci/plugin/plugin_object.hpp>

namespace loci::sim_graph {

// Countdowns over all devices: at n the n-th call from the beginning fails, once. 0: none.
struct Faults {
  // Throws Error(LOCI_CODE_INVALID_ARGUMENT) with the key, the value and what is allowed.
  explicit Faults(const sdk::Options& options);

  std::atomic<std::int64_t> end{0};
  std::atomic<std::int64_t> instantiate{0};
  std::atomic<std::int64_t> launch{0};
  // From the n-th on, each: as of a capturer that cannot tell where an argument is.
  std::atomic<std::int64_t> patch{0};
  std::atomic<std::int64_t> update{0};
};

// Throws Error(`code`), naming the function, if the countdown comes to its end with this call.
void enter(std::atomic<std::int64_t>& fault, loci_code code, const char* function);

// Throws as enter() does, at that call and at all later ones.
void enter_for_good(std::atomic<std::int64_t>& fault, loci_code code, const char* function);

}  // namespace loci::sim_graph
