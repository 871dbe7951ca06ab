// The arguments of a launch, kept until the stream comes to it.
#pragma once

#include <loci/abi/kernels.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "plugins/sim/device_memory.h"
#include "plugins/sim/race_checker.h"

namespace loci::sim {

// Views are borrowed for the call of launch, so this owns copies: of their extents, and of the
// bytes of inputs on the host, which may change as soon as launch has returned. Addresses of the
// device are those of its private alias.
class LaunchArguments {
 public:
  // Throws Error(LOCI_CODE_INVALID_ARGUMENT), naming the op and the argument, for addresses that
  // are not memory of the device.
  LaunchArguments(const loci_launch& launch, std::uint32_t input_count, std::uint32_t output_count,
                  std::uint64_t workspace_bytes, const DeviceMemory& memory, const std::string& op);
  LaunchArguments(const LaunchArguments&) = delete;
  LaunchArguments& operator=(const LaunchArguments&) = delete;

  [[nodiscard]] const loci_launch& launch() const { return launch_; }
  // The public addresses that the launch touches.
  [[nodiscard]] const std::vector<Access>& accesses() const { return accesses_; }
  // An output lies on the host, so it has to be there when launch returns.
  [[nodiscard]] bool writes_host() const { return writes_host_; }
  [[nodiscard]] bool reads_device() const { return reads_device_; }
  [[nodiscard]] bool reads_host() const { return !host_data_.empty(); }
  // Returns the views as given, but for those that lie on the host: inputs there are the copies.
  [[nodiscard]] std::vector<loci_view> public_views() const;
  [[nodiscard]] void* public_workspace() const;
  // Bytes that this takes, about.
  [[nodiscard]] std::uint64_t kept_bytes() const;

 private:
  void count_storage(const loci_view& view, bool input);
  const loci_view* keep(const loci_view& view, bool input, std::uint32_t index);
  const std::int64_t* keep_extents(const std::int64_t* extents, std::int32_t rank);
  void* keep_data(const loci_view& view, bool input, std::uint32_t index);
  template <class Name>
  std::byte* device_data(void* pointer, std::uint64_t bytes, bool writes, Name name);

  const DeviceMemory& memory_;
  const std::string& op_;
  loci_launch launch_;
  std::size_t extent_count_ = 0;
  std::size_t host_bytes_ = 0;
  std::vector<std::int64_t> extents_;
  std::vector<std::max_align_t> host_data_;
  std::size_t host_used_ = 0;
  std::vector<loci_view> views_;
  std::vector<const loci_view*> pointers_;
  std::vector<Access> accesses_;  // of the views on the device in their order, then the workspace
  bool has_workspace_ = false;
  bool writes_host_ = false;
  bool reads_device_ = false;
};

}  // namespace loci::sim
