#include "plugin.h"

#include <algorithm>
#include <loci/plugin/plugin.hpp>
#include <loci/plugin/profile_source.hpp>

#include "device.h"
#include "kernels/kernel_list.h"
#include "traced_kernels.h"

namespace loci::cuda {
namespace {

bool read_switch(const sdk::Host& host, const sdk::Options& options, const char* name) {
  const std::string text = setting_of(host, options, name);
  if (text.empty() || text == "0") return false;
  if (text == "1") return true;
  throw sdk::Error(LOCI_CODE_INVALID_ARGUMENT, "[cuda] the setting " + std::string(name) + " is '" +
                                                   text + "'; it takes 0 or 1");
}

bool read_compiles_at_once(const sdk::Host& host, const sdk::Options& options) {
  const std::string text = setting_of(host, options, "compile");
  if (text.empty() || text == "background") return false;
  if (text == "now") return true;
  throw sdk::Error(LOCI_CODE_INVALID_ARGUMENT,
                   "[cuda] the setting compile is '" + text + "'; it takes now or background");
}

// Returns true if a setting of a library's names a file.
bool names_file(const std::string& setting) { return !setting.empty() && setting != "0"; }

}  // namespace

Plugin::Plugin(const sdk::Host& host, const sdk::Options& options)
    : host_(host),
      driver_path_(setting_of(host, options, "driver")),
      cublaslt_setting_(setting_of(host, options, "cublaslt")),
      nvrtc_setting_(setting_of(host, options, "nvrtc")),
      compiles_at_once_(read_compiles_at_once(host, options)),
      chain_store_(ChainStore::directory_of_user()),
      cudnn_setting_(setting_of(host, options, "cudnn")),
      uses_tf32_(read_switch(host, options, "tf32")),
      tries_algorithms_(read_switch(host, options, "tune")),
      is_blocking_(read_switch(host, options, "blocking")),
      cupti_setting_(setting_of(host, options, "cupti")),
      faults_(read_fault_settings(host, options)),
      kernels_(all_kernels()),
      profile_source_(*this, host) {}

const void* Plugin::interface(std::string_view name) {
  if (name == LOCI_DEVICE_INTERFACE) return sdk::device_table<Plugin, Device>();
  if (name == LOCI_KERNELS_INTERFACE) return traced_kernels_table();
  if (name == LOCI_PROFILE_SOURCE_INTERFACE) return sdk::profile_source_table<Plugin>();
  return nullptr;
}

const Driver& Plugin::driver() {
  std::call_once(looked_, [this] {
    driver_ = std::make_unique<Driver>(driver_path_);
    driver_->require_same_process();
    list_ = find_devices(*driver_, CarriedCode(LOCI_CUDA_CARRIED_CODE));
    tell_left_out();
  });
  driver_->require_same_process();
  return *driver_;
}

const DeviceList& Plugin::list() {
  driver();
  return list_;
}

// Where none is left, whoever asks for one is told.
void Plugin::tell_left_out() const {
  if (list_.devices.empty()) return;
  for (const std::string& device : list_.left_out) {
    host_.log(LOCI_LOG_WARN,
              "[cuda] " + device +
                  ". It is left out, and cuda:0 is the first of the others; hide "
                  "it by CUDA_VISIBLE_DEVICES",
              __FILE__, __LINE__);
  }
}

bool Plugin::is_any_emulated() {
  const auto& devices = list().devices;
  return std::any_of(devices.begin(), devices.end(), is_emulated);
}

void Plugin::miss(const std::string& why, const char* meanwhile) const {
  host_.log(LOCI_LOG_WARN, "[cuda] " + why + ". Until then " + meanwhile, __FILE__, __LINE__);
}

// All products are slow without it, so that it is missed where nobody named it too.
const CublasLtLibrary& Plugin::cublaslt() {
  std::call_once(looked_for_cublaslt_, [this] {
    const bool emulated = is_any_emulated();
    cublaslt_ = std::make_unique<CublasLtLibrary>(cublaslt_setting_, driver(), emulated);
    const bool is_wanted = emulated ? names_file(cublaslt_setting_) : cublaslt_setting_ != "0";
    if (!is_wanted || cublaslt_->unavailable().empty()) return;
    miss(cublaslt_->unavailable(), "the plugin multiplies by itself");
  });
  return *cublaslt_;
}

const NvrtcLibrary& Plugin::nvrtc() {
  std::call_once(looked_for_nvrtc_, [this] {
    nvrtc_ = std::make_unique<NvrtcLibrary>(nvrtc_setting_, driver(), is_any_emulated());
    if (!names_file(nvrtc_setting_) || nvrtc_->unavailable().empty()) return;
    miss(nvrtc_->unavailable(), "chains are interpreted");
  });
  return *nvrtc_;
}

const CudnnLibrary& Plugin::cudnn() {
  std::call_once(looked_for_cudnn_, [this] {
    cudnn_ = std::make_unique<CudnnLibrary>(cudnn_setting_, driver(), is_any_emulated());
    const bool is_wanted = cudnn_->is_mismatched() || names_file(cudnn_setting_);
    if (!is_wanted || cudnn_->unavailable().empty()) return;
    miss(cudnn_->unavailable(), "the plugin convolves by itself");
  });
  return *cudnn_;
}

const CuptiLibrary& Plugin::cupti() {
  std::call_once(looked_for_cupti_, [this] {
    cupti_ = std::make_unique<CuptiLibrary>(cupti_setting_, driver(), is_any_emulated());
  });
  return *cupti_;
}

std::vector<RecordedDevice> Plugin::recorded_devices() {
  std::vector<RecordedDevice> devices;
  for (const DeviceEntry& device : list().devices) {
    devices.push_back({device.ordinal, limits_of(driver(), device.handle)});
  }
  return devices;
}

}  // namespace loci::cuda

const loci_plugin_desc* loci_plugin_query_v1(const loci_host_info* host) {
  return loci::sdk::describe_plugin<loci::cuda::Plugin>(host);
}
