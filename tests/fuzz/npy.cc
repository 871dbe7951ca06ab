// npy arrays.
#include <algorithm>
#include <loci/io.hpp>

#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/same_tensor.h"
#include "tests/fuzz/scratch_file.h"

namespace loci::fuzz {
namespace {

// Neither byte order nor the order of elements changes which bytes there are.
void check_elements(const Tensor& tensor, std::string_view file) {
  demand(tensor.bytes() <= file.size(), "the array has more bytes than the file");
  std::string stored(file.substr(file.size() - tensor.bytes()));
  std::string loaded(bytes_of(tensor));
  std::sort(stored.begin(), stored.end());
  std::sort(loaded.begin(), loaded.end());
  demand(stored == loaded, "the elements are not those at the end of the file");
}

void check(std::string_view content) {
  static const ScratchFile file("array.npy");
  static const ScratchFile copy("copy.npy");
  file.write(content);
  Tensor tensor;
  const auto load = [&] { tensor = io::load_npy(file.path()); };
  if (!accepts({content.size(), file.path() + ": "}, load)) return;
  check_elements(tensor, content);
  io::save_npy(copy.path(), tensor);
  demand(same(io::load_npy(copy.path()), tensor), "the array is another one when it is saved");
}

}  // namespace
}  // namespace loci::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  loci::fuzz::check(loci::fuzz::as_text(data, size));
  return 0;
}
