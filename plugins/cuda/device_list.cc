#include "device_list.h"

#include <array>
#include <utility>

#include "status.h"

namespace loci::cuda {
namespace {

class DeviceQuestions {
 public:
  DeviceQuestions(const Driver& driver, int ordinal) : driver_(driver) {
    check(driver->cuDeviceGet(&device_, ordinal), "looking for a device");
  }

  [[nodiscard]] CUdevice device() const { return device_; }
  [[nodiscard]] int attribute(CUdevice_attribute what) const {
    int value = 0;
    check(driver_->cuDeviceGetAttribute(&value, what, device_), "describing a device");
    return value;
  }
  // 0 where the driver does not know the attribute any more.
  [[nodiscard]] double rate(CUdevice_attribute what) const {
    int value = 0;
    const CUresult status = driver_->cuDeviceGetAttribute(&value, what, device_);
    return status == CUDA_SUCCESS ? value : 0.0;
  }
  [[nodiscard]] std::string name() const {
    std::array<char, 256> text{};
    check(driver_->cuDeviceGetName(text.data(), static_cast<int>(text.size()), device_),
          "naming a device");
    return text.data();
  }
  [[nodiscard]] std::string uuid() const;
  [[nodiscard]] std::uint64_t memory() const {
    std::size_t bytes = 0;
    check(driver_->cuDeviceTotalMem(&bytes, device_), "describing a device");
    return bytes;
  }

 private:
  void check(CUresult status, const char* action) const {
    if (status != CUDA_SUCCESS) throw status_error(driver_, status, "", action);
  }

  const Driver& driver_;
  CUdevice device_ = 0;
};

std::string DeviceQuestions::uuid() const {
  static constexpr char kDigits[] = "0123456789abcdef";
  CUuuid uuid{};
  check(driver_->cuDeviceGetUuid_v2(&uuid, device_), "describing a device");
  std::string text = "GPU-";
  for (std::size_t i = 0; i < sizeof uuid.bytes; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    const auto byte = static_cast<unsigned char>(uuid.bytes[i]);
    text += {kDigits[byte >> 4], kDigits[byte & 15]};
  }
  return text;
}

// Float32 operations of a multiprocessor in a cycle, a fused multiply-add as two; 0: not known.
double flops_per_cycle(int major, int minor) {
  if (major == 8 && minor == 0) return 2 * 64;
  return major == 8 || major == 9 || major == 10 || major == 12 ? 2 * 128 : 0;
}

// An emulated device gets no peaks: what it would do is no figure of any device.
void add_peaks(const DeviceQuestions& ask, int major, int minor, DeviceEntry& entry) {
  if (is_emulated(entry)) return;
  constexpr double kKilohertz = 1e3;
  const double bits = ask.rate(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
  entry.peak_flops = flops_per_cycle(major, minor) * entry.multiprocessors *
                     ask.rate(CU_DEVICE_ATTRIBUTE_CLOCK_RATE) * kKilohertz;
  entry.peak_bytes = 2 * ask.rate(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE) * kKilohertz * bits / 8;
}

DeviceEntry entry_of(const Driver& driver, int ordinal) {
  // Drivers give this since CUDA 11; a stream of a priority beyond a device's range gets the
  // nearest that it has.
  constexpr std::int32_t kGreatestPriority = -5;
  const DeviceQuestions ask(driver, ordinal);
  const int major = ask.attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  const int minor = ask.attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  DeviceEntry entry;
  entry.handle = ask.device();
  entry.ordinal = static_cast<std::uint32_t>(ordinal);
  entry.name = ask.name();
  entry.compute_capability = 10 * major + minor;
  entry.arch = "sm_" + std::to_string(entry.compute_capability);
  entry.uuid = ask.uuid();
  entry.memory = ask.memory();
  entry.multiprocessors =
      static_cast<std::uint32_t>(ask.attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
  const bool has_priorities = ask.attribute(CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED) != 0;
  entry.greatest_priority = has_priorities ? kGreatestPriority : 0;
  entry.max_pitch = static_cast<std::uint64_t>(ask.attribute(CU_DEVICE_ATTRIBUTE_MAX_PITCH));
  add_peaks(ask, major, minor, entry);
  return entry;
}

// "device 0 (NAME) has compute capability 7.5"
std::string text_of(const DeviceEntry& entry) {
  return "device " + std::to_string(entry.ordinal) + " (" + entry.name +
         ") has compute capability " + version_of(entry.compute_capability);
}

std::string why_none(const std::vector<std::string>& left_out) {
  std::string why;
  for (const std::string& device : left_out) why += (why.empty() ? "" : "; ") + device;
  return why.empty() ? "no CUDA device; see what nvidia-smi lists, and CUDA_VISIBLE_DEVICES" : why;
}

}  // namespace

bool is_emulated(const DeviceEntry& entry) {
  return entry.name.find("emulated") != std::string::npos;
}

DeviceList find_devices(const Driver& driver, const CarriedCode& code) {
  DeviceList list;
  list.reason = driver.unavailable();
  if (!list.reason.empty()) return list;
  int count = 0;
  const CUresult status = driver->cuDeviceGetCount(&count);
  if (status != CUDA_SUCCESS) throw status_error(driver, status, "", "counting devices");
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    DeviceEntry entry = entry_of(driver, ordinal);
    const std::string refusal = code.refusal(entry.compute_capability);
    if (refusal.empty()) {
      list.devices.push_back(std::move(entry));
    } else {
      list.left_out.push_back(text_of(entry) + "; " + refusal);
    }
  }
  if (list.devices.empty()) list.reason = why_none(list.left_out);
  return list;
}

}  // namespace loci::cuda
