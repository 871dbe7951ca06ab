#include "framework/eager/site.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
#include <memory>

namespace loci::eager {
namespace {

std::string demangled(const char* symbol) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(symbol, nullptr, nullptr, &status), &std::free);
  return status == 0 && name != nullptr ? std::string(name.get()) : std::string(symbol);
}

std::uintptr_t distance(const void* from, const void* to) {
  return reinterpret_cast<std::uintptr_t>(to) - reinterpret_cast<std::uintptr_t>(from);
}

}  // namespace

std::string describe_site(const void* address) {
  Dl_info info{};
  if (address == nullptr || dladdr(address, &info) == 0) return "an unknown place";
  const char* file = info.dli_fname == nullptr ? "?" : info.dli_fname;
  if (info.dli_sname != nullptr) {
    return fmt::format("{}+{:#x} ({})", demangled(info.dli_sname),
                       distance(info.dli_saddr, address), file);
  }
  // The program addr2line takes an address in this form.
  return fmt::format("{}+{:#x}", file, distance(info.dli_fbase, address));
}

}  // namespace loci::eager
