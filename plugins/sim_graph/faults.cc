#include "plugins/sim_graph/faults.h"

#include <charconv>
#include <limits>
#include <loci/plugin/error.hpp>
#include <string>

namespace loci::sim_graph {
namespace {

[[noreturn]] void refuse(const std::string& what) {
  throw sdk::Error(LOCI_CODE_INVALID_ARGUMENT, "[sim_graph] " + what);
}

std::int64_t count_of(const std::string& key, const std::string& text) {
  std::int64_t count = 0;
  const char* last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, count);
  if (error == std::errc() && end == last && count >= 0) return count;
  refuse("LOCI_SIM_GRAPH_" + key + " is '" + text + "'; give an integer of 0 or more, 0 for never");
}

[[noreturn]] void fail(loci_code code, const char* function) {
  throw sdk::Error(code, std::string("[sim_graph] ") + function +
                             " fails, as the settings of the plugin ask for");
}

}  // namespace

Faults::Faults(const sdk::Options& options) {
  for (const auto& [key, value] : options) {
    if (key == "fail_end") {
      end = count_of("FAIL_END", value);
    } else if (key == "fail_instantiate") {
      instantiate = count_of("FAIL_INSTANTIATE", value);
    } else if (key == "fail_launch") {
      launch = count_of("FAIL_LAUNCH", value);
    } else if (key == "no_patch") {
      patch = count_of("NO_PATCH", value);
    } else if (key == "no_update") {
      update = count_of("NO_UPDATE", value);
    } else {
      refuse("there is no setting '" + key + "' (given '" + value +
             "'); there are fail_end, fail_instantiate, fail_launch, no_patch, no_update");
    }
  }
}

void enter(std::atomic<std::int64_t>& fault, loci_code code, const char* function) {
  std::int64_t left = fault.load(std::memory_order_relaxed);
  while (left > 0 && !fault.compare_exchange_weak(left, left - 1)) {
  }
  if (left == 1) fail(code, function);
}

void enter_for_good(std::atomic<std::int64_t>& fault, loci_code code, const char* function) {
  std::int64_t left = fault.load(std::memory_order_relaxed);
  while (left > 1 && !fault.compare_exchange_weak(left, left - 1)) {
  }
  if (left == 1) fail(code, function);
}

}  // namespace loci::sim_graph
