// The C host table for tests that drive a plugin without the core.
#pragma once

#include <loci/abi/plugin.h>

#include <cstdint>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>

namespace loci::testing {

loci_str text_of(const std::string& text);  // borrows it

// An error in a function of the plugin.
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
  // Returns the bytes of a layout that was interned with any host of the process. Throws
  // std::out_of_range if there is none of that id.
  [[nodiscard]] static std::uint64_t layout_bytes(std::uint32_t id);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace loci::testing
