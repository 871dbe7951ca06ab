#include <vector>

#include "framework/plugin/interface_kind.h"

namespace loci::device {
struct BackendTables;
extern const plugin::Kind<BackendTables> kBackendKind;
}  // namespace loci::device

namespace loci::device_graph {
struct CapturerLibrary;
extern const plugin::Kind<CapturerLibrary> kCaptureKind;
}  // namespace loci::device_graph

namespace loci::ops {
struct OpLibrary;
extern const plugin::Kind<OpLibrary> kOpsKind;
}  // namespace loci::ops

namespace loci::reporting {
struct ReporterLibrary;
extern const plugin::Kind<ReporterLibrary> kReporterKind;
}  // namespace loci::reporting

namespace loci::plugin {
namespace {

constexpr InterfaceKind kProfileSourceKind{.name = "profile_source"};  // taken with a backend
constexpr InterfaceKind kImporterKind{.name = "importer"};
constexpr InterfaceKind kCollectiveKind{.name = "collective"};

// The registrations.
std::vector<const InterfaceKind*>& all_kinds() {
  static auto& kinds = *new std::vector<const InterfaceKind*>{
      &device::kBackendKind, &device_graph::kCaptureKind,
      &kProfileSourceKind,   &reporting::kReporterKind,
      &kImporterKind,        &ops::kOpsKind,
      &kCollectiveKind,
  };
  return kinds;
}

}  // namespace

const std::vector<const InterfaceKind*>& interface_kinds() { return all_kinds(); }

AddedKind::AddedKind(const InterfaceKind& kind) { all_kinds().push_back(&kind); }

AddedKind::~AddedKind() { all_kinds().pop_back(); }

}  // namespace loci::plugin
