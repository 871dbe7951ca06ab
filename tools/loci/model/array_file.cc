#include "tools/loci/model/array_file.h"

#include <loci/io.hpp>
#include <string_view>

#include "tools/loci/model/piped_file.h"

namespace loci::runner {
namespace {

constexpr std::string_view kArchive = ".npz";

bool is_archive(std::string_view path) {
  return path.size() > kArchive.size() && path.substr(path.size() - kArchive.size()) == kArchive;
}

}  // namespace

std::string ArrayFile::text() const {
  return array.empty() || !is_archive ? path : path + ":" + array;
}

// The first colon that ends the name of an archive: arrays may be called anything.
ArrayFile parse_array_file(const std::string& text) {
  for (std::size_t at = text.find(':'); at != std::string::npos; at = text.find(':', at + 1)) {
    const std::string path = text.substr(0, at);
    if (is_archive(path)) return {path, text.substr(at + 1), true};
  }
  return {text, "", is_archive(text)};
}

ArrayFile parse_input_file(const std::string& text) {
  if (text.rfind("-:", 0) == 0) return {"-", text.substr(2), true, true};
  ArrayFile file = parse_array_file(text);
  file.is_piped = is_piped(file.path);
  return file;
}

Tensor load_array(const ArrayFile& file) {
  if (file.is_piped) {
    return with_piped(file.path, [&](const PipedFile& copy) {
      const bool is_array = file.is_archive || copy.is_archive;
      return is_array ? io::load_npz(copy.path, file.array) : io::load_npy(copy.path);
    });
  }
  return file.is_archive ? io::load_npz(file.path, file.array) : io::load_npy(file.path);
}

}  // namespace loci::runner
