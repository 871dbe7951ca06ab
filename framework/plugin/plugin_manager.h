// Finding, loading and starting plugins: see loci/plugins.hpp for the stages.
#pragma once

#include <loci/plugins.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "framework/core/context.h"
#include "framework/plugin/interface_kind.h"

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

  // Names that manifests of the kind declare, sorted; maps nothing.
  std::vector<std::string> declared(const InterfaceKind& kind);
  // Returns what plugins of the kind bring, in search order: those that declare the name, or all if
  // none is given. Activates them. Valid as long as the manager.
  template <class T>
  std::vector<const T*> brought(const Kind<T>& kind, std::optional<std::string_view> name = {}) {
    std::vector<const T*> result;
    for (const Contribution* each : contributions(kind, name)) {
      result.push_back(static_cast<const T*>(each));
    }
    return result;
  }
  // Why none of these brings it, for error details: one line for each that does not bring what it
  // declares, and for each candidate whose manifest could not be read. Activates them.
  std::string explain_missing(const InterfaceKind& kind, std::optional<std::string_view> name = {});

  // Logical unload: destroys the instance and leaves the plugin disabled; the library stays mapped.
  // Throws Error(kFailed) with the number of live objects if there are any, and for an active
  // plugin of a kind that is pinned, as programs may refer to ops; kNotFound for an unknown id. Not
  // while another thread opens the plugin's first device.
  void unload(std::string_view id);

 private:
  std::vector<const Contribution*> contributions(const InterfaceKind& kind,
                                                 std::optional<std::string_view> name);

  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace loci::plugin
