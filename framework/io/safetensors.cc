#include "framework/io/safetensors.h"

#include <cstring>

#include "framework/core/atomic_file.h"
#include "framework/core/file_error.h"
#include "framework/core/quote.h"
#include "framework/io/elements.h"

namespace loci {
inline namespace v0 {
namespace io {
namespace {

constexpr std::uint64_t kLengthBytes = 8;

std::uint64_t header_bytes(const core::InputFile& file) {
  if (file.size() < kLengthBytes) {
    core::refuse(file.path(), "header length", "{} bytes are too few for a safetensors file",
                 file.size());
  }
  std::uint64_t bytes = 0;
  file.read(0, &bytes, sizeof(bytes), "header length");
  if (bytes > kLongestSafetensorsHeader) {
    core::refuse(file.path(), "header length", "{} is more than {}; is it a safetensors file?",
                 bytes, kLongestSafetensorsHeader);
  }
  if (bytes > file.size() - kLengthBytes) {
    core::refuse(file.path(), "header length",
                 "{}, but only {} bytes follow; the file is truncated or damaged", bytes,
                 file.size() - kLengthBytes);
  }
  return bytes;
}

}  // namespace

SafetensorsFile::SafetensorsFile(const std::string& path) : file_(path) {
  const std::uint64_t bytes = header_bytes(file_);
  data_offset_ = kLengthBytes + bytes;
  const std::string header = file_.read_text(kLengthBytes, bytes, "header");
  header_.add(&bytes, sizeof bytes);
  header_.add(header.data(), header.size());
  entries_ = parse_safetensors_header(header, file_.size() - data_offset_, path);
}

Tensor SafetensorsFile::load(const SafetensorsEntry& entry) const {
  const std::string field = "tensor " + core::quote(entry.name);
  Tensor tensor = Tensor::generate(entry.shape, entry.dtype, [&](void* elements) {
    file_.read(data_offset_ + entry.begin, elements, entry.end - entry.begin, field.c_str());
  });
  if (entry.dtype == kBool) {
    if (const auto bad = find_bad_bool(tensor.read_data(), tensor.bytes())) {
      core::refuse(file_.path(), field, "element {} is neither 0 nor 1, as a bool is", *bad);
    }
  }
  return tensor;
}

NamedTensors SafetensorsFile::load_all(std::uint64_t* digest) const {
  core::Digest all = header_;
  NamedTensors tensors;
  for (const SafetensorsEntry& entry : entries_) {
    const Tensor tensor = load(entry);
    if (digest != nullptr) all.add(tensor.read_data(), tensor.bytes());
    tensors.emplace(entry.name, tensor);
  }
  if (digest != nullptr) *digest = all.value();
  return tensors;
}

SafetensorsImage::SafetensorsImage(const NamedTensors& tensors, const std::string& path)
    : tensors_(tensors) {
  entries_.reserve(tensors.size());
  for (const auto& [name, tensor] : tensors) {
    if (!tensor.defined()) {
      core::raise_file_error(ErrorCode::kInvalidArgument, path, "tensor " + core::quote(name),
                             "is undefined");
    }
    entries_.push_back({name, tensor.dtype(), tensor.shape(), 0, 0});
  }
  lay_out(entries_, path);
  preamble_ = safetensors_preamble(entries_, path);
  bytes_ = preamble_.size() + (entries_.empty() ? 0 : entries_.back().end);
}

bool SafetensorsImage::visit(const std::function<bool(const void*, std::uint64_t)>& visit) const {
  if (!visit(preamble_.data(), preamble_.size())) return false;
  for (const SafetensorsEntry& entry : entries_) {
    const Tensor host = tensors_.at(entry.name).to(Place());
    if (!visit(host.read_data(), host.bytes())) return false;
  }
  return true;
}

NamedTensors load_safetensors(const std::string& path) { return SafetensorsFile(path).load_all(); }

void save_safetensors(const std::string& path, const NamedTensors& tensors) {
  const SafetensorsImage image(tensors, path);
  core::AtomicFile file(path);
  image.write(file);
  file.commit();
}

}  // namespace io
}  // namespace v0
}  // namespace loci
