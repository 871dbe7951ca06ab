#include "framework/plugin/instance.h"

#include <utility>
#include <vector>

#include "framework/core/log.h"
#include "framework/plugin/foreign_call.h"

namespace loci::plugin {

Instance::Instance(std::string id, std::string path, const loci_plugin_desc& desc)
    : id_(std::move(id)), path_(std::move(path)), desc_(desc), host_(id_, path_) {
  const std::vector<loci_kv> options = host_.options();
  call_plugin_checked("create", [&] {
    return desc_.create(&host_.api(), options.data(), options.size(), &handle_);
  });
  if (handle_ == nullptr) {
    throw LoadError(ErrorCode::kInternal, "its create succeeded without giving an instance",
                    "report it to the plugin's author");
  }
}

Instance::~Instance() { destroy(); }

const void* Instance::interface(std::string_view name, std::uint32_t max_minor) {
  const void* table = nullptr;
  call_plugin_checked("get_interface", [&] {
    return desc_.get_interface(handle_, core::to_abi(name), max_minor, &table);
  });
  return table;
}

void Instance::destroy_or_throw() {
  loci_plugin* handle = std::exchange(handle_, nullptr);
  if (handle == nullptr) return;
  call_plugin("destroy", [&] {
    desc_.destroy(handle);
    return 0;
  });
}

void Instance::destroy() noexcept {
  try {
    destroy_or_throw();
  } catch (const LoadError& error) {
    core::log(core::Module::kPlugin, core::Level::kError, "{}: {}; {}", path_, error.cause(),
              error.remedy());
  }
}

}  // namespace loci::plugin
