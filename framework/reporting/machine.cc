#include "framework/reporting/machine.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/utsname.h>

#include <filesystem>
#include <fstream>
#include <loci/version.hpp>
#include <string_view>
#include <thread>

#include "framework/plugin/elf_note.h"
#include "framework/plugin/load_error.h"

namespace loci::reporting {
namespace {

std::string executable() {
  std::error_code none;
  const std::filesystem::path path = std::filesystem::read_symlink("/proc/self/exe", none);
  return path.string();
}

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.rfind("model name", 0) == 0 && colon != std::string::npos) {
      return line.substr(colon + 2);
    }
  }
  return "unknown processor";
}

std::string operating_system() {
  utsname names{};
  if (uname(&names) != 0) return "unknown system";
  return fmt::format("{} {}", names.sysname, names.release);
}

}  // namespace

std::string this_program() { return std::filesystem::path(executable()).filename().string(); }

std::string this_version() { return std::string(version()); }

std::string this_build() {
  Dl_info info{};
  const bool found = dladdr(reinterpret_cast<const void*>(&this_build), &info) != 0 &&
                     info.dli_fname != nullptr &&
                     std::string_view(info.dli_fname).find('/') != std::string_view::npos;
  try {
    return plugin::read_build_id(found ? info.dli_fname : executable());
  } catch (const plugin::LoadError&) {
    return {};  // moved or removed since it was started
  }
}

std::string this_machine() {
  return fmt::format("{}, {} cores, {}", processor(), std::thread::hardware_concurrency(),
                     operating_system());
}

}  // namespace loci::reporting
