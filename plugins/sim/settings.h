// The settings of the software accelerator: LOCI_SIM=key=value,key=value, or LOCI_SIM_<KEY>=value
// for one of them, which goes before the list. README.md says what each key means.
#pragma once

#include <cstdint>
#include <loci/plugin/plugin_object.hpp>
#include <string>
#include <string_view>

namespace loci::sim {

struct Settings {
  std::uint32_t devices = 2;
  std::uint64_t memory = std::uint64_t{4} << 30;  // bytes of each device
  std::uint64_t red_zone = 256;                   // bytes on either side of an allocation
  bool poison = true;
  bool race = false;
  bool graphs = true;  // it offers device graphs
  std::uint64_t seed = 0;
  double delay_us = 0;  // the longest random delay before a task

  // The described machine; 0: as fast as this one. Bandwidths in 10^9 bytes per second.
  double copy_latency_us = 0;
  double h2d_gbps = 0;
  double d2h_gbps = 0;
  double peer_gbps = 0;
  double local_gbps = 0;
  double launch_us = 0;
  double gflops = 0;

  // Which call or task of a device fails, counted from 1; 0: none. See handles.h.
  std::int64_t fail_alloc = 0;
  std::int64_t fail_copy = 0;
  std::int64_t fail_launch = 0;
  std::int64_t fail_event = 0;
  std::int64_t fail_task = 0;
  std::int64_t lose_device = 0;

  std::string without;  // ops that it has no kernels of, with + between them
};

// Throws Error(LOCI_CODE_INVALID_ARGUMENT) with the key, the value and what is allowed. Options
// whose names begin with "graph_" are those of the plugin sim_graph and left alone.
Settings parse_settings(std::string_view list, const sdk::Options& options);

}  // namespace loci::sim
