// The plugin's one object.
#pragma once

#include <loci/plugin/host.hpp>
#include <loci/plugin/kernel.hpp>
#include <loci/plugin/plugin_object.hpp>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "chain_store.h"
#include "cublaslt_library.h"
#include "cudnn_library.h"
#include "cupti_library.h"
#include "device_list.h"
#include "driver.h"
#include "nvrtc_library.h"
#include "open_devices.h"
#include "pinned_ranges.h"
#include "planned_faults.h"
#include "profile_source.h"

namespace loci::cuda {

class Plugin {
 public:
  static constexpr std::string_view kId = "org.loci.cuda";
  static constexpr std::string_view kVersion = LOCI_CUDA_PLUGIN_VERSION;
  static constexpr std::string_view kDeviceType = "cuda";

  Plugin(const sdk::Host& host, const sdk::Options& options);
  const void* interface(std::string_view name);
  [[nodiscard]] const sdk::KernelList& kernels() const { return kernels_; }

  [[nodiscard]] const sdk::Host& host() const { return host_; }
  // Opens the driver when first called, LOCI_CUDA_DRIVER if that is set.
  const Driver& driver();
  const DeviceList& list();
  // Opened when first called, LOCI_CUDA_CUBLASLT if that is set; not there where that is 0. The log
  // tells of one that is missed.
  const CublasLtLibrary& cublaslt();
  // Opened when first called, LOCI_CUDA_NVRTC if that is set; not there where that is 0. The log
  // tells of one that was named and cannot be used.
  const NvrtcLibrary& nvrtc();
  // Returns true if what NVRTC compiles is waited for, as LOCI_CUDA_COMPILE=now says.
  [[nodiscard]] bool compiles_at_once() const { return compiles_at_once_; }
  [[nodiscard]] const ChainStore& chain_store() const { return chain_store_; }
  // Opened when first called, LOCI_CUDA_CUDNN if that is set; not there where that is 0. The log
  // tells of one that does not fit, or was named and cannot be used.
  const CudnnLibrary& cudnn();
  [[nodiscard]] bool uses_tf32() const { return uses_tf32_; }
  // Returns true if a library's algorithms are chosen by trying them, as LOCI_CUDA_TUNE=1 says.
  [[nodiscard]] bool tries_algorithms() const { return tries_algorithms_; }
  // Returns true if each launch is waited for, as LOCI_CUDA_BLOCKING=1 says.
  [[nodiscard]] bool is_blocking() const { return is_blocking_; }
  // Opened when first called, LOCI_CUDA_CUPTI if that is set; not there where that is 0.
  const CuptiLibrary& cupti();
  // The devices in their order, as records of work tell of them.
  std::vector<RecordedDevice> recorded_devices();
  [[nodiscard]] ProfileSource& profile_source() { return profile_source_; }
  [[nodiscard]] const FaultSettings& faults() const { return faults_; }
  [[nodiscard]] PinnedRanges& pinned() { return pinned_; }
  [[nodiscard]] OpenDevices& open_devices() { return open_devices_; }

 private:
  [[nodiscard]] bool is_any_emulated();
  // Says in the log which devices are left out, and what that makes of the numbers of the others.
  void tell_left_out() const;
  // Says in the log that a library is missed, why, and what is done without it.
  void miss(const std::string& why, const char* meanwhile) const;

  const sdk::Host& host_;
  const std::string driver_path_;
  const std::string cublaslt_setting_;
  const std::string nvrtc_setting_;
  const bool compiles_at_once_;
  const ChainStore chain_store_;
  const std::string cudnn_setting_;
  const bool uses_tf32_;
  const bool tries_algorithms_;
  const bool is_blocking_;
  const std::string cupti_setting_;
  const FaultSettings faults_;
  sdk::KernelList kernels_;
  std::once_flag looked_;
  std::unique_ptr<Driver> driver_;
  DeviceList list_;
  std::once_flag looked_for_cublaslt_;
  std::unique_ptr<CublasLtLibrary> cublaslt_;
  std::once_flag looked_for_nvrtc_;
  std::unique_ptr<NvrtcLibrary> nvrtc_;
  std::once_flag looked_for_cudnn_;
  std::unique_ptr<CudnnLibrary> cudnn_;
  PinnedRanges pinned_;
  OpenDevices open_devices_;
  std::once_flag looked_for_cupti_;
  std::unique_ptr<CuptiLibrary> cupti_;
  ProfileSource profile_source_;
};

}  // namespace loci::cuda
