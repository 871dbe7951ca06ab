#include "framework/plugin/interposition.h"

namespace loci::plugin {
namespace {

Interposer the_interposer = nullptr;

}  // namespace

void set_interposer(Interposer interposer) noexcept { the_interposer = interposer; }

const loci_plugin_desc* interposed(const std::string& path, const loci_plugin_desc* desc) {
  return the_interposer == nullptr ? desc : the_interposer(path, desc);
}

}  // namespace loci::plugin
