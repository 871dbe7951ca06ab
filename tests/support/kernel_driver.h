// Runs single kernels of a plugin through the C tables, without the core: a small host in this
// process, descriptions of operators, and values with guard bytes around them.
#pragma once

#include <loci/abi/device.h>
#include <loci/abi/kernels.h>
#include <loci/abi/plugin.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace loci::testing {

using Dims = std::vector<std::int64_t>;

// A tensor on the host.
struct Value {
  loci_dtype dtype = LOCI_DTYPE_NONE;
  Dims dims;
  std::vector<std::byte> bytes;
  std::uint32_t residence = LOCI_RESIDENCE_DEVICE;

  [[nodiscard]] std::size_t numel() const;
  template <class T>
  [[nodiscard]] const T* data() const {
    return reinterpret_cast<const T*>(bytes.data());
  }
};

// Elements are converted from double; of 64-bit integers as far as double holds them.
Value value_of(loci_dtype dtype, Dims dims, const std::vector<double>& elements);
// Between low and high, the same for the same seed; integers are whole.
Value random_value(loci_dtype dtype, Dims dims, double low, double high, unsigned seed = 1);
Value empty_like(loci_dtype dtype, Dims dims);  // zeros
Value metadata(loci_dtype dtype, Dims dims);    // an argument of which only the shape is read
Value absent();                                 // an optional argument that is not given
std::vector<double> to_doubles(const Value& value);
const char* dtype_text(loci_dtype dtype);

struct DTypeAttribute {
  loci_dtype dtype;
};
using AttributeValue = std::variant<bool, std::int64_t, double, std::string, DTypeAttribute,
                                    std::vector<std::int64_t>>;

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
};

// What went wrong in a function of the plugin.
class PluginError : public std::runtime_error {
 public:
  PluginError(loci_code code, const std::string& message)
      : std::runtime_error(message), code_(code) {}
  [[nodiscard]] loci_code code() const { return code_; }

 private:
  loci_code code_;
};

// A host with three threads; `configuration` answers config_get.
class TestHost {
 public:
  explicit TestHost(std::map<std::string, std::string> configuration = {});
  ~TestHost();
  TestHost(const TestHost&) = delete;
  TestHost& operator=(const TestHost&) = delete;
  [[nodiscard]] const loci_host_api& api() const;
  // Throws PluginError, and frees the error, if there is one.
  void check(loci_error* error) const;
  // Errors that are made and not released.
  [[nodiscard]] int live_errors() const;
  [[nodiscard]] int parallel_loops() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
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
