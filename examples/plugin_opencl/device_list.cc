#include "device_list.h"

#include <CL/cl_ext.h>

#include <algorithm>

#include "error.h"

namespace opencl {
namespace {

constexpr const char* kNoPlatform =
    "there is no OpenCL platform; install a driver, such as the package pocl-opencl-icd, and look "
    "at what clinfo lists";
constexpr const char* kNoDevice =
    "the OpenCL platforms have no available device with a compiler; look at what clinfo lists";

std::vector<cl_platform_id> platforms() {
  cl_uint count = 0;
  const cl_int status = clGetPlatformIDs(0, nullptr, &count);
  if (status == CL_PLATFORM_NOT_FOUND_KHR || count == 0) return {};
  check(status, "counting platforms");
  std::vector<cl_platform_id> ids(count);
  check(clGetPlatformIDs(count, ids.data(), nullptr), "listing platforms");
  return ids;
}

std::vector<cl_device_id> devices_of(cl_platform_id platform) {
  cl_uint count = 0;
  const cl_int status = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count);
  if (status == CL_DEVICE_NOT_FOUND || count == 0) return {};
  check(status, "counting devices");
  std::vector<cl_device_id> ids(count);
  check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, ids.data(), nullptr),
        "listing devices");
  return ids;
}

template <class T>
T value_of(cl_device_id device, cl_device_info what) {
  T value{};
  check(clGetDeviceInfo(device, what, sizeof value, &value, nullptr), "describing a device");
  return value;
}

std::string text_of(cl_device_id device, cl_device_info what) {
  std::size_t bytes = 0;
  check(clGetDeviceInfo(device, what, 0, nullptr, &bytes), "describing a device");
  std::string value(bytes, '\0');
  check(clGetDeviceInfo(device, what, bytes, value.data(), nullptr), "describing a device");
  value.resize(value.find('\0'));  // the size counts the end
  return value;
}

bool is_usable(cl_device_id device) {
  return value_of<cl_bool>(device, CL_DEVICE_AVAILABLE) != CL_FALSE &&
         value_of<cl_bool>(device, CL_DEVICE_COMPILER_AVAILABLE) != CL_FALSE &&
         value_of<std::size_t>(device, CL_DEVICE_MAX_WORK_GROUP_SIZE) >= kGroup;
}

DeviceEntry entry_of(cl_device_id id) {
  DeviceEntry entry;
  entry.id = id;
  entry.name = text_of(id, CL_DEVICE_NAME);
  entry.version = text_of(id, CL_DEVICE_VERSION);
  entry.driver = text_of(id, CL_DRIVER_VERSION);
  entry.memory = value_of<cl_ulong>(id, CL_DEVICE_GLOBAL_MEM_SIZE);
  entry.largest = value_of<cl_ulong>(id, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
  const std::uint64_t bits = value_of<cl_uint>(id, CL_DEVICE_MEM_BASE_ADDR_ALIGN);
  entry.alignment = std::max<std::uint64_t>(64, bits / 8);
  entry.units = value_of<cl_uint>(id, CL_DEVICE_MAX_COMPUTE_UNITS);
  const auto floats = value_of<cl_device_fp_config>(id, CL_DEVICE_SINGLE_FP_CONFIG);
  entry.divides_exactly = (floats & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0;
  return entry;
}

}  // namespace

DeviceList find_devices() {
  DeviceList list;
  const std::vector<cl_platform_id> found = platforms();
  for (cl_platform_id platform : found) {
    for (cl_device_id device : devices_of(platform)) {
      if (is_usable(device)) list.devices.push_back(entry_of(device));
    }
  }
  if (list.devices.empty()) list.reason = found.empty() ? kNoPlatform : kNoDevice;
  return list;
}

}  // namespace opencl
