#include "tools/loci/array_file.h"

#include <loci/io.hpp>
#include <string_view>

namespace loci::runner {
namespace {

constexpr std::string_view kArchive = ".npz";

bool is_archive(std::string_view path) {
  return path.size() > kArchive.size() && path.substr(path.size() - kArchive.size()) == kArchive;
}

}  // namespace

std::string ArrayFile::text() const { return array.empty() ? path : path + ":" + array; }

// The first colon that ends the name of an archive: arrays may be called anything.
ArrayFile parse_array_file(const std::string& text) {
  for (std::size_t at = text.find(':'); at != std::string::npos; at = text.find(':', at + 1)) {
    const std::string path = text.substr(0, at);
    if (is_archive(path)) return {path, text.substr(at + 1), true};
  }
  return {text, "", is_archive(text)};
}

Tensor load_array(const ArrayFile& file) {
  return file.is_archive ? io::load_npz(file.path, file.array) : io::load_npy(file.path);
}

}  // namespace loci::runner
