// npz archives.
#include <algorithm>
#include <loci/io.hpp>

#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/same_tensor.h"
#include "tests/fuzz/scratch_file.h"

namespace loci::fuzz {
namespace {

// The limit is above the number of bytes that deflate can make of one.
constexpr std::size_t kMostPerByte = 1100;

void check_names(const std::string& path, const io::NamedTensors& tensors) {
  std::vector<std::string> names = io::npz_names(path);
  std::sort(names.begin(), names.end());
  demand(names.size() == tensors.size(), "npz_names() gives another number of arrays");
  std::size_t i = 0;
  for (const auto& [name, tensor] : tensors) {
    demand(names[i++] == name, "npz_names() gives other names");
    demand(same(io::load_npz(path, name), tensor), "an array is another one when it is alone");
  }
}

void check_copy(const std::string& path, const io::NamedTensors& tensors) {
  io::save_npz(path, tensors);
  const io::NamedTensors again = io::load_npz(path);
  demand(again.size() == tensors.size(), "the saved archive has another number of arrays");
  for (const auto& [name, tensor] : tensors) {
    demand(again.count(name) == 1 && same(again.at(name), tensor),
           "an array is another one when it is saved");
  }
}

void check(std::string_view content) {
  static const ScratchFile file("arrays.npz");
  static const ScratchFile copy("copy.npz");
  file.write(content);
  io::NamedTensors tensors;
  const auto load = [&] { tensors = io::load_npz(file.path()); };
  if (!accepts({content.size(), file.path() + ": "}, load)) return;
  std::size_t bytes = 0;
  for (const auto& [name, tensor] : tensors) bytes += tensor.bytes();
  demand(bytes <= kMostPerByte * content.size(), "more bytes than the file can hold");
  check_names(file.path(), tensors);
  check_copy(copy.path(), tensors);
}

}  // namespace
}  // namespace loci::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  loci::fuzz::check(loci::fuzz::as_text(data, size));
  return 0;
}
