// LOCI_CUDA_DOUBLE is a list: "memory=2G,devices=2,latency_us=5,checks=all,seed=7,fail_alloc=12,
// fail=cuLaunchKernel:3:700". All of it is optional; an empty text is the default.
//
//   memory=N[K|M|G]    of each device; 2G
//   devices=N          1 to 16; 1
//   peers=all|none     whether devices can access each other's memory; all
//   capability=M.N     that devices report, and above which a module's target is refused; 9.0.
//                      M.N+M.N...: of each device, the last also of those that follow
//   version=M.N        that the driver reports, by which a conditional node may have an else; 13.0
//   seed=N             draws the order of ready work, of blocks and of warps; 0: in order
//   latency_us=N       most time that ready work waits before it starts, drawn; 0
//   workers=N          threads that run the blocks of a kernel; as many as there are processors
//   instructions=N     limit of a launch, in instructions of a warp; 2^36
//   quarantine=N|N[K|M|G]  freed allocations that are still known by name, which tells their use
//                      from a stray address: a number of them, or bytes; 32 and 256M
//   checks=all|none|A+B...  of addresses, undefined, shared_races, block_races, stream_races,
//                      pageable, handles, leaks; all but pageable and leaks
//   findings=report|abort   what is done about one, after its line on stderr
//   log=none|errors    errors: a line on stderr for each call that is refused, with the reason
//   fail=NAME:N:CODE   the N-th call of a function gives this code; may be repeated
//   fail_alloc=N       the N-th allocation of device memory finds none
//   counters=FILE      a table of what each kernel did, written as the process ends; launches take
//                      longer
//   cupti_drop=N%      as many of the records of CUPTI's double are lost; 0%
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace loci::cuda_double {

// A text that is no setting; what() is one line that names it.
class SettingsError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct PlannedFailure {
  std::string function;  // as exported or without its version: cuMemAlloc_v2 or cuMemAlloc
  std::uint64_t call = 1;
  int code = 0;
};

struct Capability {
  int major = 9;
  int minor = 0;
};

struct EnabledChecks {
  bool addresses = true;
  bool undefined = true;
  bool shared_races = true;
  bool block_races = true;
  bool stream_races = true;
  bool pageable = false;
  bool handles = true;
  bool leaks = false;
};

struct Settings {
  std::uint64_t memory = std::uint64_t{2} << 30;
  int devices = 1;
  bool have_peers = true;
  std::vector<Capability> capabilities{{}};  // of the first devices; one at least
  int version = 13000;                       // as cuDriverGetVersion gives it
  std::uint64_t seed = 0;
  std::uint64_t latency_us = 0;
  unsigned workers = 0;
  std::uint64_t instructions = std::uint64_t{1} << 36;
  // Freed allocations leave by the limit that they reach first.
  std::uint64_t quarantine_bytes = std::uint64_t{256} << 20;
  std::uint64_t quarantine_allocations = 32;
  EnabledChecks checks;
  bool abort_on_finding = false;
  bool log_errors = false;
  std::vector<PlannedFailure> failures;
  std::string counters;          // a file; empty: none
  std::uint64_t fail_alloc = 0;  // 0: none
  unsigned cupti_drop = 0;       // percent
};

// Throws SettingsError.
[[nodiscard]] Settings parse_settings(std::string_view text);

}  // namespace loci::cuda_double
