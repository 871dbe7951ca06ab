// A host that watches its plugin: what it takes and gives back, and what it does where it must not.
#pragma once

#include <loci/abi/host.h>

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace loci::verify {

// An error that a plugin returned.
class PluginError : public std::runtime_error {
 public:
  PluginError(loci_code code, const std::string& message)
      : std::runtime_error(message), code_(code) {}
  [[nodiscard]] loci_code code() const { return code_; }

 private:
  loci_code code_;
};
std::string code_name(loci_code code);  // "OUT_OF_MEMORY", "code 99"

// Counts what the plugin holds of the host.
struct Holdings {
  std::int64_t allocations = 0;
  std::int64_t bytes = 0;
  std::int64_t errors = 0;
};

// Its functions may be called from any thread, those of its table too. A plugin is configured by
// LOCI_<NAME>_<KEY> as in the core; `options` go before the environment, keys in lower case.
class TrapHost {
 public:
  explicit TrapHost(const std::string& plugin_id, std::map<std::string, std::string> options = {},
                    std::string library_path = {});
  ~TrapHost();
  TrapHost(const TrapHost&) = delete;
  TrapHost& operator=(const TrapHost&) = delete;

  [[nodiscard]] const loci_host_api& api() const;
  // For create; valid as long as this.
  [[nodiscard]] std::vector<loci_kv> options() const;

  [[nodiscard]] Holdings holdings() const;
  // Makes the n-th allocation from now on, and that one alone, find no memory; 0: none.
  void fail_allocation(std::int64_t n);
  // Returns true if such a failure is still to come.
  [[nodiscard]] bool failure_pending() const;

  // Throws PluginError, and frees the error, if there is one.
  static void check(loci_error* error);

 private:
  friend struct HostFunctions;
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace loci::verify
