#include "tools/cuda_double/driver/launch_attributes.h"

#include <fmt/format.h>

#include "tools/cuda_double/driver/handles.h"

namespace loci::cuda_double {
namespace {

// CUDA 13 has this attribute; older headers have no name for it.
constexpr auto kNvlinkCentric = static_cast<CUlaunchAttributeID>(16);

// Checks of one attribute, whose errors begin with its name.
class Reader {
 public:
  Reader(Call& call, const Stream& stream, const Dim3& grid)
      : call_(call), stream_(stream), grid_(grid) {}

  void read(const CUlaunchAttribute& attribute) {
    id_ = attribute.id;
    const CUlaunchAttributeValue& value = attribute.value;
    switch (id_) {
      case CU_LAUNCH_ATTRIBUTE_IGNORE:
      // All work that is ready runs at once, whatever its priority.
      case CU_LAUNCH_ATTRIBUTE_PRIORITY: break;
      case CU_LAUNCH_ATTRIBUTE_COOPERATIVE: found.cooperative = flag(value.cooperative); break;
      case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
        check_cluster({value.clusterDim.x, value.clusterDim.y, value.clusterDim.z});
        break;
      case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION:
        found.overlaps = flag(value.programmaticStreamSerializationAllowed);
        break;
      case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT:
        found.programmatic_event =
            event(value.programmaticEvent.event, value.programmaticEvent.flags);
        break;
      case CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT:
        found.completion_event =
            event(value.launchCompletionEvent.event, value.launchCompletionEvent.flags);
        break;
      default: read_advice(value); break;
    }
  }

  LaunchAttributes found;

 private:
  // Advice that only makes a device faster is taken, where the device says that it has that.
  void read_advice(const CUlaunchAttributeValue& value) const {
    switch (id_) {
      case CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT: {
        const auto percent = static_cast<int>(value.sharedMemCarveout);
        check(percent >= -1 && percent <= 100, "a carveout is a percentage, or -1");
        break;
      }
      case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
        check_is_there(value.accessPolicyWindow.num_bytes == 0, "the device has no such windows");
        break;
      case CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
        check_is_there(
            value.clusterSchedulingPolicyPreference == CU_CLUSTER_SCHEDULING_POLICY_DEFAULT,
            "the double has no clusters");
        break;
      case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
        check_is_there(value.memSyncDomain == CU_LAUNCH_MEM_SYNC_DOMAIN_DEFAULT,
                       "the device has one domain");
        break;
      case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
        check_is_there(value.memSyncDomainMap.default_ == 0 && value.memSyncDomainMap.remote == 0,
                       "the device has one domain");
        break;
      default: refuse();
    }
  }

  [[noreturn]] void refuse() const {
    switch (id_) {
      case CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION:
        fail(CUDA_ERROR_NOT_SUPPORTED, "the double has no clusters");
      case CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE:
        fail(CUDA_ERROR_NOT_SUPPORTED, "the double has no updates of graphs by devices");
      case kNvlinkCentric: fail(CUDA_ERROR_NOT_SUPPORTED, "the double has no NVLink");
      case CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY:
        fail(CUDA_ERROR_INVALID_VALUE, "it is one of streams, not of launches");
      default: fail(CUDA_ERROR_INVALID_VALUE, "there is no such launch attribute");
    }
  }

  void check_cluster(const Dim3& cluster) const {
    const bool divides = cluster.x != 0 && cluster.y != 0 && cluster.z != 0 &&
                         grid_.x % cluster.x == 0 && grid_.y % cluster.y == 0 &&
                         grid_.z % cluster.z == 0;
    if (!divides) fail(CUDA_ERROR_INVALID_CLUSTER_SIZE, "clusters do not divide the grid");
    check_is_there(cluster.count() == 1, "the double has no clusters");
  }

  [[nodiscard]] std::shared_ptr<Event> event(CUevent handle, int flags) const {
    auto recorded = event_of(call_, handle);
    check(!recorded->has_timing(), "the event has timing");
    check(flags == CU_EVENT_RECORD_DEFAULT, "there are no such flags of a record");
    // In a capture it makes edges of a kind of its own.
    check_is_there(stream_.capture == nullptr, "the graphs of the double have plain edges alone");
    return recorded;
  }

  [[nodiscard]] bool flag(int value) const {
    check(value == 0 || value == 1, "its value is 0 or 1");
    return value == 1;
  }
  void check(bool holds, const char* why) const {
    if (!holds) fail(CUDA_ERROR_INVALID_VALUE, why);
  }
  void check_is_there(bool holds, const char* why) const {
    if (!holds) fail(CUDA_ERROR_NOT_SUPPORTED, why);
  }
  [[noreturn]] void fail(CUresult code, const char* why) const {
    throw DriverError(code, fmt::format("{}: {}", attribute_name(id_), why));
  }

  Call& call_;
  const Stream& stream_;
  const Dim3 grid_;
  CUlaunchAttributeID id_{};
};

}  // namespace

LaunchAttributes read_attributes(Call& call, const CUlaunchConfig& config, const Stream& stream) {
  require(config.attrs != nullptr || config.numAttrs == 0, "there are no attributes");
  Reader reader(call, stream, {config.gridDimX, config.gridDimY, config.gridDimZ});
  for (unsigned i = 0; i < config.numAttrs; ++i) reader.read(config.attrs[i]);
  return reader.found;
}

std::string attribute_name(CUlaunchAttributeID id) {
  switch (id) {
#define LOCI_NAME(name) \
  case CU_LAUNCH_ATTRIBUTE_##name: return "CU_LAUNCH_ATTRIBUTE_" #name
    LOCI_NAME(IGNORE);
    LOCI_NAME(ACCESS_POLICY_WINDOW);
    LOCI_NAME(COOPERATIVE);
    LOCI_NAME(SYNCHRONIZATION_POLICY);
    LOCI_NAME(CLUSTER_DIMENSION);
    LOCI_NAME(CLUSTER_SCHEDULING_POLICY_PREFERENCE);
    LOCI_NAME(PROGRAMMATIC_STREAM_SERIALIZATION);
    LOCI_NAME(PROGRAMMATIC_EVENT);
    LOCI_NAME(PRIORITY);
    LOCI_NAME(MEM_SYNC_DOMAIN_MAP);
    LOCI_NAME(MEM_SYNC_DOMAIN);
    LOCI_NAME(PREFERRED_CLUSTER_DIMENSION);
    LOCI_NAME(LAUNCH_COMPLETION_EVENT);
    LOCI_NAME(DEVICE_UPDATABLE_KERNEL_NODE);
    LOCI_NAME(PREFERRED_SHARED_MEMORY_CARVEOUT);
#undef LOCI_NAME
    case kNvlinkCentric: return "CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING";
    default: return fmt::format("launch attribute {}", static_cast<int>(id));
  }
}

}  // namespace loci::cuda_double
