#include <filesystem>
#include <loci/io.hpp>
#include <vector>

#include "framework/core/file_error.h"
#include "framework/core/quote.h"
#include "framework/core/suggest.h"
#include "framework/io/safetensors.h"

namespace loci {
inline namespace v0 {
namespace io {
namespace {

enum class Format { kNpy, kSafetensors };

Format format_of(const std::string& path) {
  const std::string extension = std::filesystem::path(path).extension().string();
  if (extension == ".npy") return Format::kNpy;
  if (extension == ".safetensors") return Format::kSafetensors;
  core::raise_file_error(ErrorCode::kInvalidArgument, path, "name",
                         "the extension {} is of no known format; use .npy or .safetensors",
                         core::quote(extension));
}

// Fit for a message, without the quotes around them.
std::vector<std::string> names_in(const SafetensorsFile& file) {
  std::vector<std::string> names;
  for (const SafetensorsEntry& entry : file.entries()) {
    const std::string quoted = core::quote(entry.name);
    names.push_back(quoted.substr(1, quoted.size() - 2));
  }
  return names;
}

Tensor load_only(const SafetensorsFile& file, const std::string& path) {
  if (file.entries().size() == 1) return file.load(file.entries().front());
  core::raise_file_error(ErrorCode::kInvalidArgument, path, "tensors",
                         "there are {}, not one; load_safetensors() takes the name of one",
                         file.entries().size());
}

}  // namespace

Tensor load_safetensors(const std::string& path, const std::string& name) {
  const SafetensorsFile file(path);
  for (const SafetensorsEntry& entry : file.entries()) {
    if (entry.name == name) return file.load(entry);
  }
  core::raise_file_error(ErrorCode::kNotFound, path, "tensor " + core::quote(name),
                         "there is none of that name{}", core::suggest(name, names_in(file)));
}

Tensor load_tensor(const std::string& path) {
  if (format_of(path) == Format::kNpy) return load_npy(path);
  return load_only(SafetensorsFile(path), path);
}

void save_tensor(const std::string& path, const Tensor& tensor) {
  if (format_of(path) == Format::kNpy) {
    save_npy(path, tensor);
  } else {
    save_safetensors(path, {{"tensor", tensor}});
  }
}

}  // namespace io
}  // namespace v0
}  // namespace loci
