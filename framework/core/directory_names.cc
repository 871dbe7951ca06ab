#include "framework/core/directory_names.h"

#include <dirent.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <string_view>

namespace loci::core {

std::vector<std::string> directory_names(const std::string& directory, std::error_code& error) {
  error.clear();
  std::vector<std::string> names;
  const auto close = [](DIR* stream) { ::closedir(stream); };
  const std::unique_ptr<DIR, decltype(close)> stream(::opendir(directory.c_str()), close);
  errno = stream == nullptr ? errno : 0;
  while (stream != nullptr) {
    const dirent* entry = ::readdir(stream.get());
    if (entry == nullptr) break;
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
    errno = 0;
  }
  if (errno != 0) error.assign(errno, std::generic_category());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace loci::core
