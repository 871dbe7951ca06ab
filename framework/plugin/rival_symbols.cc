#include "framework/plugin/rival_symbols.h"

#include <dlfcn.h>
#include <link.h>

#include <memory>

namespace loci::plugin {
namespace {

struct CloseLibrary {
  void operator()(void* handle) const { ::dlclose(handle); }
};

// glibc has relocated the addresses in it.
std::string soname_of(const link_map& library) {
  const char* strings = nullptr;
  const ElfW(Dyn)* name = nullptr;
  for (const ElfW(Dyn)* entry = library.l_ld; entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_STRTAB) strings = reinterpret_cast<const char*>(entry->d_un.d_ptr);
    if (entry->d_tag == DT_SONAME) name = entry;
  }
  if (strings == nullptr || name == nullptr) return library.l_name;
  return strings + name->d_un.d_val;
}

// Nothing where the symbol is not there, or in no library.
std::optional<std::string> library_of(void* scope, const std::string& symbol) {
  void* const address = ::dlsym(scope, symbol.c_str());
  Dl_info info{};
  void* library = nullptr;
  if (address == nullptr || ::dladdr1(address, &info, &library, RTLD_DL_LINKMAP) == 0) {
    return std::nullopt;
  }
  return soname_of(*static_cast<const link_map*>(library));
}

}  // namespace

std::optional<RivalSymbol> find_rival(const std::vector<Need>& needs) {
  const std::unique_ptr<void, CloseLibrary> program(::dlopen(nullptr, RTLD_LAZY));
  if (program == nullptr) return std::nullopt;
  for (const Need& need : needs) {
    for (const std::string& symbol : need.symbols) {
      auto library = library_of(program.get(), symbol);
      if (library && *library != need.soname) return RivalSymbol{symbol, *std::move(library)};
    }
  }
  return std::nullopt;
}

}  // namespace loci::plugin
