// safetensors files.
#include <cstring>
#include <loci/io.hpp>
#include <optional>

#include "framework/io/safetensors.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/same_tensor.h"
#include "tests/fuzz/scratch_file.h"

namespace loci::fuzz {
namespace {

// Returns the bytes after the header. Only of a file that was accepted.
std::string_view data_of(std::string_view file) {
  std::uint64_t header = 0;
  demand(file.size() >= sizeof header, "the file is shorter than its shortest header");
  std::memcpy(&header, file.data(), sizeof header);
  demand(header <= file.size() - sizeof header, "the header is longer than the file");
  return file.substr(sizeof header + header);
}

void check_entries(const io::SafetensorsFile& file, const io::NamedTensors& tensors,
                   std::string_view data) {
  demand(file.entries().size() == tensors.size(), "a tensor is lost");
  std::uint64_t end = 0;
  for (const io::SafetensorsEntry& entry : file.entries()) {
    demand(entry.begin == end && entry.end >= entry.begin, "tensors leave a gap or overlap");
    demand(entry.end <= data.size(), "a tensor lies outside the file");
    const Tensor& tensor = tensors.at(entry.name);
    demand(tensor.dtype() == entry.dtype && tensor.shape() == entry.shape,
           "a tensor is not of the type that the header says");
    demand(bytes_of(tensor) == data.substr(entry.begin, entry.end - entry.begin),
           "the elements are not those of the file");
    end = entry.end;
  }
  demand(end == data.size(), "bytes of the file belong to no tensor");
}

void check_copy(const io::NamedTensors& tensors, const std::string& path) {
  io::save_safetensors(path, tensors);
  const io::NamedTensors again = io::load_safetensors(path);
  demand(again.size() == tensors.size(), "a saved file has another number of tensors");
  for (const auto& [name, tensor] : tensors) {
    const auto found = again.find(name);
    demand(found != again.end() && same(found->second, tensor),
           "a tensor is another one when it is saved");
  }
}

void check(std::string_view content) {
  static const ScratchFile scratch("weights.safetensors");
  static const ScratchFile copy("copy.safetensors");
  scratch.write(content);
  std::optional<io::SafetensorsFile> file;
  io::NamedTensors tensors;
  const auto load = [&] { tensors = file.emplace(scratch.path()).load_all(); };
  if (!accepts({content.size(), scratch.path() + ": "}, load)) return;
  check_entries(*file, tensors, data_of(content));
  check_copy(tensors, copy.path());
}

}  // namespace
}  // namespace loci::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  loci::fuzz::check(loci::fuzz::as_text(data, size));
  return 0;
}
