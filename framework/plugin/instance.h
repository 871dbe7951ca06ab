// A plugin's one instance.
#pragma once

#include <loci/abi/plugin.h>

#include <memory>
#include <string>
#include <string_view>

#include "framework/plugin/host_table.h"
#include "framework/plugin/manifest.h"
#include "framework/plugin/plugin.h"

namespace loci::plugin {

class Instance final : public Plugin {
 public:
  // `desc` is the negotiated one, of a library that stays mapped. Calls create; throws LoadError.
  Instance(std::string id, std::string path, const loci_plugin_desc& desc);
  ~Instance() override;
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  [[nodiscard]] const std::string& id() const override { return id_; }
  [[nodiscard]] const std::string& path() const override { return path_; }
  // NULL after destroy().
  [[nodiscard]] loci_plugin* handle() const override { return handle_; }

  // The plugin's table of that name, in its own size; NULL if it has none. Throws LoadError.
  [[nodiscard]] const void* interface(std::string_view name, std::uint32_t max_minor);

  // Calls the plugin's destroy, once. What escapes it is logged, or thrown as a LoadError.
  void destroy() noexcept;
  void destroy_or_throw();

 private:
  std::string id_;
  std::string path_;
  loci_plugin_desc desc_;
  HostTable host_;
  loci_plugin* handle_ = nullptr;
};

}  // namespace loci::plugin
