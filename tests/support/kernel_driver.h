// Runs single kernels of a plugin through the C tables, without the core: descriptions of
// operators, and values with guard bytes behind them.
#pragma once

#include <loci/abi/device.h>
#include <loci/abi/kernels.h>
#include <loci/abi/plugin.h>

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tests/support/host_value.h"
#include "tests/support/test_host.h"

namespace loci::testing {

struct DTypeAttribute {
  loci_dtype dtype;
};
using AttributeValue =
    std::variant<bool, std::int64_t, double, std::string, DTypeAttribute, std::vector<std::int64_t>,
                 std::vector<double>, std::vector<std::string>>;

// An operator with values.
struct Call {
  std::string op;
  std::vector<Value> inputs;  // one for each slot
  // dtype and dims of each output slot.
  std::vector<std::pair<loci_dtype, Dims>> outputs;
  std::map<std::string, AttributeValue> attributes{};
  // Output -> input whose memory it shares.
  std::map<std::uint32_t, std::uint32_t> in_place{};
  // The implementation to take, even if an earlier one accepts; empty: the first that accepts.
  std::string implementation{};
  int launches = 1;
  // Threads that launch one prepared kernel at the same time, each with outputs of its own.
  int threads = 1;
  // Inputs that nobody changes: a kernel may have them packed.
  std::set<std::uint32_t> constants{};
};

// A plugin, created and with its first device open.
class DrivenPlugin {
 public:
  // `query` is its entry point.
  DrivenPlugin(loci_plugin_query_fn query, std::map<std::string, std::string> options = {});
  ~DrivenPlugin();
  DrivenPlugin(const DrivenPlugin&) = delete;
  DrivenPlugin& operator=(const DrivenPlugin&) = delete;

  [[nodiscard]] const loci_kernels_api& kernels() const { return *kernels_; }
  [[nodiscard]] const loci_device_api& devices() const { return *devices_; }
  [[nodiscard]] loci_plugin* plugin() const { return plugin_; }
  [[nodiscard]] TestHost& host() { return host_; }

  // Runs the operator, with the next kernel where that of the call declines, and gives its outputs.
  // Throws PluginError; std::logic_error if no kernel accepts or one writes outside its memory.
  std::vector<Value> run(const Call& call);
  // The implementation that is taken; and why one of that name refuses or declines (empty if not).
  std::string implementation_of(const Call& call);
  std::string refusal(const Call& call, const std::string& implementation);

 private:
  struct Prepared;
  std::vector<const loci_kernel_def*> defs_of(const std::string& op);
  std::unique_ptr<Prepared> prepare(const loci_kernel_def& def, const Call& call);
  std::unique_ptr<Prepared> prepare_from(const std::string& name, const Call& call);

  TestHost host_;
  const loci_plugin_desc* desc_;
  loci_plugin* plugin_ = nullptr;
  loci_device* device_ = nullptr;
  const loci_device_api* devices_ = nullptr;
  const loci_kernels_api* kernels_ = nullptr;
};

// The entry point in a shared library; throws std::logic_error if it cannot be opened.
loci_plugin_query_fn open_plugin(const std::string& path);

}  // namespace loci::testing
