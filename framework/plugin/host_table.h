// The table that the host offers to one plugin, and how plugins are configured.
#pragma once

#include <loci/abi/host.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace loci::plugin {

// All that the user has set for the plugin with that id: LOCI_<NAME>, whose key is empty, and
// LOCI_<NAME>_<KEY>, in order of the keys.
std::vector<std::pair<std::string, std::string>> settings_of(const std::string& plugin_id);

// "LOCI_CUDA_GRAPH" of org.loci.cuda_graph: what begins the names of the plugin's variables.
std::string own_variable(const std::string& plugin_id);
// "FAIL_ALLOC" of the key "fail_alloc": what ends them.
std::string setting_key(const std::string& key);

// The host table of the plugin with that id; outlives the plugin's instance.
//
// A plugin is configured by LOCI_<NAME>_<KEY>, where NAME is the last part of its id: the key
// "onednn" of org.loci.cpu is LOCI_CPU_ONEDNN. Keys are matched in upper case, and what is no
// letter or digit is an underscore.
class HostTable {
 public:
  HostTable(const std::string& plugin_id, const std::string& library_path);
  ~HostTable();
  HostTable(const HostTable&) = delete;
  HostTable& operator=(const HostTable&) = delete;

  [[nodiscard]] const loci_host_api& api() const { return api_; }
  // All entries configured for the plugin, keys in lower case. Valid as long as the table.
  [[nodiscard]] std::vector<loci_kv> options() const;

 private:
  std::unique_ptr<loci_host> host_;
  loci_host_api api_;
};

}  // namespace loci::plugin
