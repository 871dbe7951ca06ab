// Tensors of other libraries, by DLPack. The memory that one says to have is there; what no memory
// can be is for the import to refuse.
#include <loci/dlpack.hpp>
#include <optional>
#include <string>

#include "framework/core/config.h"
#include "tests/fuzz/foreign_tensor.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/same_tensor.h"
#include "tools/loci/model/element.h"

namespace loci::fuzz {
namespace {

using dlpack::View;
using Memory = ForeignTensor::Memory;

constexpr std::size_t kMemoryLimit = std::size_t{1} << 20;

// A place that is none, and memory that there is not, are named by who looked for them.
Reading reading_of(const ForeignTensor& foreign, std::size_t bytes, bool is_small) {
  const bool is_named = is_small && foreign.view().device.type != dlpack::kRocm;
  return {bytes,
          is_named ? "[from_dlpack] " : "[",
          {ErrorCode::kInvalidArgument, ErrorCode::kUnsupported, ErrorCode::kIncompatible,
           ErrorCode::kUnavailable, ErrorCode::kOutOfMemory}};
}

// Devices whose plugins may be here are left out, for their memory cannot be made up.
bool may_be_here(const View& view) {
  return view.device.type == dlpack::kCuda || view.device.type == dlpack::kExtension;
}

void check_type(const Tensor& tensor, const View& view) {
  demand(tensor.place().is_host(), "the tensor is not on the host");
  demand(dtype_size(tensor.dtype()) * 8 == view.dtype.bits && view.dtype.lanes == 1,
         "the tensor has another dtype");
  demand(tensor.shape().rank() == view.rank, "the tensor has another rank");
  for (int axis = 0; axis < view.rank; ++axis) {
    demand(tensor.shape()[axis] == view.shape[axis], "the tensor has another shape");
  }
}

// Every element can be read.
void check_elements(const Tensor& tensor, const std::string& elements) {
  demand(bytes_of(tensor) == elements, "the elements are others");
  runner::visit_dtype(tensor.dtype(), [&](auto zero) {
    using T = decltype(zero);
    if constexpr (!runner::is_half<T>) {
      demand(tensor.to_vector<T>().size() * sizeof(T) == elements.size(), "an element is lost");
    }
  });
}

void check_export(const Tensor& tensor) {
  const Tensor again = from_dlpack(to_dlpack(tensor));
  demand(same(again, tensor), "the tensor is another one when it is exported and imported");
}

void check_imported(const Tensor& tensor, const ForeignTensor& foreign,
                    const std::string& elements) {
  check_type(tensor, foreign.view());
  check_elements(tensor, elements);
  check_export(tensor);
  const bool is_shared = tensor.numel() > 0 && tensor.raw_data() == foreign.first();
  demand(!is_shared || !foreign.has(ForeignTensor::kCopies), "what was to be copied is shared");
  demand(!is_shared || foreign.deleted() == 0, "memory that a tensor uses is given back");
}

void check(std::string_view input) {
  core::set_config_value("MEMORY_LIMIT", std::to_string(kMemoryLimit));
  ForeignTensor foreign(input);
  if (may_be_here(foreign.view()) || foreign.memory() == Memory::kMuch) return;
  const std::optional<std::string> elements = foreign.elements();
  Tensor tensor;
  const auto import = [&] { tensor = foreign.import(); };
  if (accepts(reading_of(foreign, input.size(), elements.has_value()), import)) {
    demand(foreign.memory() != Memory::kImpossible, "a tensor is accepted that cannot be");
    demand(tensor.bytes() <= kMemoryLimit, "there are more elements than fit in memory");
    if (elements) check_imported(tensor, foreign, *elements);
    tensor = Tensor();
  }
  const int deletions = foreign.has(ForeignTensor::kNullDeleter) ? 0 : 1;
  demand(foreign.deleted() == deletions, "the deleter is not called once");
}

}  // namespace
}  // namespace loci::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  loci::fuzz::check(loci::fuzz::as_text(data, size));
  return 0;
}
