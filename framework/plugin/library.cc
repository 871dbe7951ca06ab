#include "framework/plugin/library.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <algorithm>
#include <boost/dll/shared_library.hpp>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>
#include <utility>

#include "framework/core/log.h"
#include "framework/core/process_end.h"
#include "framework/core/sanitizer.h"
#include "framework/plugin/load_error.h"
#include "framework/plugin/rival_symbols.h"

namespace loci::plugin {

struct Library::Mapping {
  boost::dll::shared_library library;
};

namespace {

namespace dll = boost::dll;

// Reachable for ever, so that nothing is unmapped; by path.
template <class Mapping>
class Mappings {
 public:
  static Mappings& instance() {
    static auto& all = *new Mappings();
    return all;
  }
  // Null if there is none.
  const Mapping* find(const std::string& path) {
    const std::lock_guard lock(mutex_);
    const auto found = mappings_.find(path);
    return found == mappings_.end() ? nullptr : found->second.get();
  }
  // The one that is there, if another thread was first.
  const Mapping* keep(const std::string& path, std::unique_ptr<Mapping> mapping) {
    const std::lock_guard lock(mutex_);
    return mappings_.try_emplace(path, std::move(mapping)).first->second.get();
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<Mapping>> mappings_;
};

[[noreturn]] void refuse_missing(const std::string& soname, const std::vector<Need>& needs) {
  const auto need = std::find_if(needs.begin(), needs.end(),
                                 [&soname](const Need& n) { return n.soname == soname; });
  const bool hinted = need != needs.end() && !need->hint.empty();
  throw LoadError(ErrorCode::kUnavailable,
                  fmt::format("it needs the library {}, which is not there", soname),
                  hinted ? need->hint
                         : fmt::format("install the package that has {}, or name its folder in "
                                       "LD_LIBRARY_PATH",
                                       soname));
}

// "<path>: undefined symbol: <name>" and the like; the path is in the report already.
std::string without_path(const std::string& message, const std::string& path) {
  return message.rfind(path + ": ", 0) == 0 ? message.substr(path.size() + 2) : message;
}

// How many files the dynamic linker has mapped so far.
unsigned long long mapped_files() {
  unsigned long long count = 0;
  ::dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* result) {
        *static_cast<unsigned long long*>(result) = info->dlpi_adds;
        return 1;
      },
      &count);
  return count;
}

// Returns true if the plugin and its libraries have to look up symbols in themselves first, as the
// program has such functions too, of another version maybe. False where it has none: a malloc for
// the whole process, say, is for them too then.
bool looks_at_itself(const std::string& path, const std::vector<Need>& needs) {
  const auto rival = find_rival(needs);
  if (!rival) return false;
  const std::string from = rival->library.empty() ? "the program" : rival->library;
#if defined(LOCI_ASAN) || defined(LOCI_TSAN)
  core::log(
      core::Module::kPlugin, core::Level::kWarn,
      "{} calls {} of {}, not that of the library that it needs: with a sanitizer nothing can "
      "be mapped so that it takes its own; link the program without {}",
      path, rival->name, from, from);
  return false;
#else
  core::log(core::Module::kPlugin, core::Level::kInfo,
            "{} is mapped with RTLD_DEEPBIND, as {} has {} too", path, from, rival->name);
  return true;
#endif
}

// An exception out of a static initialiser ends the process, whether or not compilers let it
// through the frames of dlopen, which is declared not to throw: the dynamic linker would keep its
// lock. Not by noexcept, for which GCC 12 may end the process without the exception as the current
// one.
void map_library(dll::shared_library* library, const std::string& path, dll::load_mode::type mode,
                 dll::fs::error_code* error) {
  const unsigned long long before = mapped_files();
  try {
    library->load(path, *error, mode);
  } catch (...) {
    if (mapped_files() == before) throw;  // no memory for the path
    std::terminate();
  }
}

}  // namespace

std::string missing_dependency(const std::string& message, const std::string& path) {
  static constexpr std::string_view kMark = ": cannot open shared object file";
  const std::size_t end = message.find(kMark);
  if (end == std::string::npos) return {};
  std::string soname = message.substr(0, end);
  return soname == path ? std::string() : soname;
}

bool Library::is_mapped(const std::string& path) {
  return Mappings<Mapping>::instance().find(path) != nullptr;
}

Library::Library(const std::string& path, const std::vector<Need>& needs)
    : mapping_(Mappings<Mapping>::instance().find(path)) {
  if (mapping_ != nullptr) return;
  auto mapping = std::make_unique<Mapping>();
  dll::fs::error_code error;
  const core::NewCode scope;
  auto mode = dll::load_mode::rtld_now | dll::load_mode::rtld_local;
  if (looks_at_itself(path, needs)) mode |= dll::load_mode::rtld_deepbind;
  map_library(&mapping->library, path, mode, &error);
  if (error) {
    const char* text = ::dlerror();
    const std::string message = text == nullptr ? error.message() : std::string(text);
    const std::string soname = missing_dependency(message, path);
    if (!soname.empty()) refuse_missing(soname, needs);
    throw LoadError(ErrorCode::kUnavailable,
                    fmt::format("the dynamic linker refused it: {}", without_path(message, path)),
                    "build the plugin for this system, and install what it links against");
  }
  mapping_ = Mappings<Mapping>::instance().keep(path, std::move(mapping));
}

loci_plugin_query_fn Library::query_function() const {
  const dll::shared_library& library = mapping_->library;
  if (!library.has(LOCI_PLUGIN_QUERY_SYMBOL)) return nullptr;
  return &library.get<const loci_plugin_desc*(const loci_host_info*)>(LOCI_PLUGIN_QUERY_SYMBOL);
}

}  // namespace loci::plugin
