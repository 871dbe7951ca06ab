// Finding, loading and starting plugins: see loci/plugins.hpp for the stages.
#pragma once

#include <loci/plugins.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "framework/core/context.h"
#include "framework/plugin/interfaces.h"
#include "framework/plugin/op_owners.h"

namespace loci::plugin {

// The plugins of a context. All functions may be called from any thread. Discovery happens at the
// first use; a library is mapped only when something that its manifest declares is needed.
class PluginManager {
 public:
  static constexpr auto kContextSlot = core::ContextSlot::kPlugins;
  // That of the current context. Tests make their own.
  static PluginManager& instance();

  PluginManager();
  // With another install directory, or without one if it is empty.
  explicit PluginManager(std::string install_directory);
  // Destroys the instances, except those with live objects.
  ~PluginManager();
  PluginManager(const PluginManager&) = delete;
  PluginManager& operator=(const PluginManager&) = delete;

  // See loci::plugins.
  void configure(const plugins::SearchOptions& options);
  std::vector<plugins::Candidate> report(bool activate);
  std::vector<plugins::SearchPlace> search_places();

  // Device types that the manifests of backends declare, sorted; maps nothing.
  std::vector<std::string> device_types();
  // Backends of that type whose probe succeeded, best score first; activates them.
  std::vector<const device::DeviceBackend*> backends(std::string_view device_type);
  // Why there is no such device, for error details: one line for each candidate that declares the
  // type and does not bring it, or whose manifest could not be read. Activates them.
  std::string explain_missing(std::string_view device_type);
  // Kernel libraries for that type, in search order; activates them.
  std::vector<const device::KernelLibrary*> kernel_libraries(std::string_view device_type);
  // That of the type, which is activated; null if there is none. Valid as long as the manager.
  const device_graph::CapturerLibrary* capturer(std::string_view device_type);
  // For messages, as explain_missing(): why plugins of the kind "capture" bring none of that type.
  std::string explain_missing_capturer(std::string_view device_type);
  // What plugins of the kind "ops" bring, in search order; activates them. Valid as long as the
  // manager.
  std::vector<const OpLibrary*> op_libraries();
  // For error details, as explain_missing(): why plugins of the kind "ops" bring none.
  std::string explain_missing_ops();
  // Names that the manifests of reporters declare, sorted; maps nothing.
  std::vector<std::string> reporter_names();
  // The first in search order; activates those that declare the name. Null if none brings it. Valid
  // as long as the manager.
  const reporting::Reporter* reporter(std::string_view name);
  // For error details, as explain_missing().
  std::string explain_missing_reporter(std::string_view name);

  // Logical unload: destroys the instance and leaves the plugin disabled; the library stays mapped.
  // Throws Error(kFailed) with the number of live objects if there are any, and for an active
  // plugin that brings ops, to which programs may refer; kNotFound for an unknown id. Not while
  // another thread opens the plugin's first device.
  void unload(std::string_view id);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace loci::plugin
