#include "framework/plugin/search_path.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>
#include <sys/auxv.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "framework/core/config.h"
#include "framework/core/directory_names.h"
#include "framework/core/log.h"
#include "framework/plugin/permissions.h"

namespace loci::plugin {
namespace {

namespace fs = std::filesystem;

constexpr const char* kInstallation = "installation";

// A place with the files that no earlier one gave.
struct Searched {
  std::string path;
  std::string origin;
  std::vector<Found> found;
};

class Search {
 public:
  void add_file(const fs::path& file) {
    begin(file.string(), "file");
    take_file(file);
  }

  void add_directory(const fs::path& directory, const char* origin, const std::string& remedy) {
    begin(directory.string(), origin);
    if (!directory.is_absolute()) {
      refuse(directory.string(),
             LoadError(ErrorCode::kInvalidArgument,
                       "the directory is not absolute, and the working directory is not searched",
                       remedy));
      return;
    }
    try {
      require_directory(directory, remedy);
      check_plugin_directory(real_path(directory, remedy));
      for (const fs::path& file : files_of(directory, remedy)) take_file(file);
    } catch (const LoadError& error) {
      refuse(directory.string(), error);
    }
  }

  std::vector<Searched> take() { return std::move(searched_); }

 private:
  void begin(const std::string& path, const char* origin) {
    searched_.push_back({path, origin, {}});
  }

  void take_file(const fs::path& file) {
    std::error_code error;
    const fs::path real = fs::canonical(file, error);
    if (error) {
      refuse(file.string(), LoadError(ErrorCode::kNotFound,
                                      fmt::format("there is no such file: {}", error.message()),
                                      "give the path of a plugin"));
    } else if (seen_.insert(real.string()).second) {
      searched_.back().found.push_back({real.string(), std::nullopt});
    }
  }

  static void require_directory(const fs::path& directory, const std::string& remedy) {
    std::error_code error;
    if (fs::is_directory(directory, error)) return;
    throw LoadError(
        ErrorCode::kNotFound,
        fs::exists(directory, error) ? "it is not a directory" : "there is no such directory",
        remedy);
  }

  static std::string real_path(const fs::path& directory, const std::string& remedy) {
    std::error_code error;
    fs::path real = fs::canonical(directory, error);
    if (!error) return real.string();
    throw LoadError(ErrorCode::kNotFound,
                    fmt::format("the directory cannot be found: {}", error.message()), remedy);
  }

  static std::vector<fs::path> files_of(const fs::path& directory, const std::string& remedy) {
    std::vector<fs::path> files;
    std::error_code error;
    for (const std::string& name : core::directory_names(directory.string(), error)) {
      std::error_code ignored;
      fs::path path = directory / name;
      if (path.extension() == ".so" && !fs::is_directory(path, ignored)) {
        files.push_back(std::move(path));
      }
    }
    if (error) {
      throw LoadError(ErrorCode::kNotFound,
                      fmt::format("the directory cannot be read: {}", error.message()), remedy);
    }
    return files;
  }

  void refuse(const std::string& path, const LoadError& error) {
    if (seen_.insert(path).second) searched_.back().found.push_back({path, error});
  }

  std::vector<Searched> searched_;
  std::set<std::string> seen_;
};

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t colon = text.find(':');
    if (colon != 0) parts.push_back(text.substr(0, colon));
    text = colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1);
  }
  return parts;
}

std::vector<Searched> search_all(const SearchPlaces& places) {
  Search search;
  for (const std::string& file : places.files) search.add_file(file);
  for (const std::string& directory : places.directories) {
    search.add_directory(directory, "directory", "give the path of a directory of plugins");
  }
  for (const std::string_view directory : split(places.environment)) {
    search.add_directory(directory, "LOCI_PLUGIN_PATH", "correct LOCI_PLUGIN_PATH");
  }
  if (!places.install_directory.empty()) {
    search.add_directory(places.install_directory, kInstallation, "install Loci again");
  }
  return search.take();
}

bool is_of_place(const Searched& place, const Found& found) {
  return found.refusal && found.path == place.path;
}

// Nobody named it, so that it may be absent.
bool is_absent_installation(const Searched& place) {
  std::error_code error;
  return place.origin == kInstallation && !fs::exists(place.path, error);
}

}  // namespace

std::vector<Found> find_candidates(const SearchPlaces& places) {
  std::vector<Found> all;
  for (const Searched& place : search_all(places)) {
    if (is_absent_installation(place)) continue;
    all.insert(all.end(), place.found.begin(), place.found.end());
  }
  return all;
}

std::vector<plugins::SearchPlace> describe_places(const SearchPlaces& places) {
  std::vector<plugins::SearchPlace> described;
  for (const Searched& searched : search_all(places)) {
    plugins::SearchPlace& place = described.emplace_back();
    place.path = searched.path;
    place.origin = searched.origin;
    for (const Found& found : searched.found) {
      if (is_of_place(searched, found)) {
        place.refusal = {found.refusal->cause(), found.refusal->remedy()};
      } else {
        place.files.push_back(found.path);
      }
    }
  }
  return described;
}

std::string environment_plugin_path() {
  const std::optional<std::string> value = core::config_value("PLUGIN_PATH");
  if (!value) return {};
  if (::getauxval(AT_SECURE) != 0) {
    core::log(core::Module::kPlugin, core::Level::kWarn,
              "LOCI_PLUGIN_PATH is ignored: this process has more rights than its user");
    return {};
  }
  return *value;
}

std::string install_plugin_directory() {
  Dl_info info{};
  link_map* map = nullptr;
  static const char kHere = 0;
  if (::dladdr1(&kHere, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) == 0) return {};
  // The executable itself has no name in the list of libraries.
  const bool in_executable = map == nullptr || *map->l_name == '\0';
  std::error_code error;
  const fs::path here = fs::canonical(in_executable ? "/proc/self/exe" : map->l_name, error);
  if (error) return {};
  const fs::path library_directory =
      in_executable ? here.parent_path().parent_path() / "lib" : here.parent_path();
  return (library_directory / "loci" / "plugins").string();
}

}  // namespace loci::plugin
