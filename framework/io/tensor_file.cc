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

enum class Format { kNpy, kNpz, kSafetensors };

Format format_of(const std::string& path) {
  const std::string extension = std::filesystem::path(path).extension().string();
  if (extension == ".npy") return Format::kNpy;
  if (extension == ".npz") return Format::kNpz;
  if (extension == ".safetensors") return Format::kSafetensors;
  core::raise_file_error(ErrorCode::kInvalidArgument, path, "name",
                         "the extension {} is of no known format; use .npy, .npz or .safetensors",
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

void require_one(std::size_t count, const std::string& path, const char* loader) {
  if (count == 1) return;
  core::raise_file_error(ErrorCode::kInvalidArgument, path, "tensors",
                         "there are {}, not one; {}() takes the name of one", count, loader);
}

Tensor load_only(const SafetensorsFile& file) {
  require_one(file.entries().size(), file.path(), "load_safetensors");
  return file.load(file.entries().front());
}

Tensor load_only_array(const std::string& path) {
  const std::vector<std::string> names = npz_names(path);
  require_one(names.size(), path, "load_npz");
  return load_npz(path, names.front());
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
  switch (format_of(path)) {
    case Format::kNpy: return load_npy(path);
    case Format::kNpz: return load_only_array(path);
    case Format::kSafetensors: break;
  }
  return load_only(SafetensorsFile(path));
}

void save_tensor(const std::string& path, const Tensor& tensor) {
  switch (format_of(path)) {
    case Format::kNpy: return save_npy(path, tensor);
    case Format::kNpz: return save_npz(path, {{"tensor", tensor}});
    case Format::kSafetensors: break;
  }
  save_safetensors(path, {{"tensor", tensor}});
}

}  // namespace io
}  // namespace v0
}  // namespace loci
