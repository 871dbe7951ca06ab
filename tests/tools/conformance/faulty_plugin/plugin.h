// The plugin's one object.
#pragma once

#include <atomic>
#include <cstdint>
#include <loci/plugin/plugin.hpp>

#include "kernels.h"
#include "layout.h"
#include "reporter.h"
#include "source.h"

namespace loci::faulty {

class FaultyPlugin {
 public:
  static constexpr std::string_view kId = "org.loci.test.rules";
  static constexpr std::string_view kVersion = "1.0.0";
  static constexpr std::string_view kDeviceType = "rules";

  FaultyPlugin(const sdk::Host& host, const sdk::Options& options);
  const void* interface(std::string_view name);
  [[nodiscard]] const sdk::KernelList& kernels() const { return kernels_; }
  void relayout(const sdk::RelayoutCall& call) { reverse(call); }
  [[nodiscard]] Source& profile_source() { return source_; }
  [[nodiscard]] const sdk::ReporterList& reporters() const { return reporters_; }
  void note_open() { ++opened_; }
  [[nodiscard]] std::uint32_t opened() const { return opened_; }
  // Which call or task of a device fails; 0: none.
  struct Failing {
    int alloc = 0;
    int copy = 0;
    int task = 0;
  };
  [[nodiscard]] const Failing& failing() const { return failing_; }

 private:
  sdk::KernelList kernels_;
  sdk::ReporterList reporters_;
  Source source_;
  Failing failing_;
  std::atomic<std::uint32_t> opened_{0};  // devices, so far
};

}  // namespace loci::faulty
