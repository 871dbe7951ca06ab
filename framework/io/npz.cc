#include <algorithm>
#include <loci/io.hpp>
#include <set>

#include "framework/core/atomic_file.h"
#include "framework/core/file_error.h"
#include "framework/core/quote.h"
#include "framework/core/suggest.h"
#include "framework/io/npy_header.h"
#include "framework/io/npy_reader.h"
#include "framework/io/zip_reader.h"
#include "framework/io/zip_writer.h"

namespace loci {
inline namespace v0 {
namespace io {
namespace {

constexpr std::string_view kSuffix = ".npy";

// NumPy's: what a member is called without the suffix that it was given.
std::string array_name(const ZipMember& member) {
  const std::string& name = member.name;
  const bool has_suffix = name.size() > kSuffix.size() &&
                          name.compare(name.size() - kSuffix.size(), kSuffix.size(), kSuffix) == 0;
  return has_suffix ? name.substr(0, name.size() - kSuffix.size()) : name;
}

class MemberSource final : public NpySource {
 public:
  MemberSource(ZipReader& zip, const ZipMember& member)
      : zip_(zip), member_(member), name_(zip.describe(member)) {
    zip.open(member);
  }
  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] std::uint64_t size() const override { return member_.bytes; }
  void read(void* into, std::uint64_t bytes, const char* field) override {
    zip_.read(into, bytes, field);
  }

 private:
  ZipReader& zip_;
  const ZipMember& member_;
  std::string name_;
};

Tensor load_member(ZipReader& zip, const ZipMember& member) {
  MemberSource source(zip, member);
  Tensor tensor = read_npy(source);
  zip.finish();
  return tensor;
}

// Returns a name for each array, in the order of the archive.
std::vector<std::string> names_of(const ZipReader& zip) {
  std::vector<std::string> names;
  std::set<std::string> seen;
  for (const ZipMember& member : zip.members()) {
    names.push_back(array_name(member));
    if (!seen.insert(names.back()).second) {
      core::refuse(zip.describe(member), "name", "is that of another array, with or without {}",
                   kSuffix);
    }
  }
  return names;
}

}  // namespace

std::vector<std::string> npz_names(const std::string& path) { return names_of(ZipReader(path)); }

NamedTensors load_npz(const std::string& path) {
  ZipReader zip(path);
  const std::vector<std::string> names = names_of(zip);
  NamedTensors tensors;
  for (std::size_t i = 0; i < names.size(); ++i) {
    tensors.emplace(names[i], load_member(zip, zip.members()[i]));
  }
  return tensors;
}

Tensor load_npz(const std::string& path, const std::string& name) {
  ZipReader zip(path);
  const std::vector<std::string> names = names_of(zip);
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) {
    return load_member(zip, zip.members()[static_cast<std::size_t>(found - names.begin())]);
  }
  core::raise_file_error(ErrorCode::kNotFound, path, "array " + core::quote(name),
                         "there is none of that name{}", core::suggest(name, names));
}

void save_npz(const std::string& path, const NamedTensors& tensors) {
  std::vector<std::string> preambles;
  for (const auto& [name, tensor] : tensors) {
    if (!tensor.defined()) {
      core::raise_file_error(ErrorCode::kInvalidArgument, path, "array " + core::quote(name),
                             "is undefined");
    }
    preambles.push_back(npy_preamble(tensor.dtype(), tensor.shape()));
  }
  core::AtomicFile file(path);
  ZipWriter zip(file, path);
  auto preamble = preambles.begin();
  for (const auto& [name, tensor] : tensors) {
    const Tensor host = tensor.to(Place());
    zip.add(name + std::string(kSuffix), preamble->size() + host.bytes());
    zip.write(preamble->data(), preamble->size());
    zip.write(host.read_data(), host.bytes());
    ++preamble;
  }
  zip.finish();
  file.commit();
}

}  // namespace io
}  // namespace v0
}  // namespace loci
