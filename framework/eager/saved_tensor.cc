#include "framework/eager/saved_tensor.h"

#include "framework/core/raise.h"
#include "framework/eager/thread_state.h"
#include "framework/eager/work_recorder.h"
#include "framework/memory/node_pool.h"
#include "framework/tensor/tensor_impl.h"

namespace loci::eager {
namespace {

// With a storage of its own, so that the elements may be released and changed.
Tensor without_elements(const Tensor& tensor) {
  const tensor::TensorImpl& impl = *tensor.impl();
  auto storage = memory::make_pooled<tensor::Storage>();
  storage->place = impl.place();
  storage->device = impl.storage()->device;
  storage->absence = "a gradient needs only its form";
  Tensor form(memory::make_pooled<tensor::TensorImpl>(impl.dtype(), impl.shape(), storage));
  if (!impl.name().empty()) form.set_name(impl.name());
  return form;
}

// Counts a captured op's use of an input, so that it does not hide that all others have freed it.
std::shared_ptr<void> count_reader(const std::shared_ptr<tensor::Storage>& storage) {
  storage->extras.get().graph_readers.fetch_add(1);
  return {storage.get(), [](void* counted) {
            static_cast<tensor::Storage*>(counted)->extras.find()->graph_readers.fetch_sub(1);
          }};
}

}  // namespace

SavedTensor::SavedTensor(const Tensor& tensor, bool is_output)
    : tensor_(is_output ? tensor.detach() : tensor),
      version_(tensor.version()),
      is_captured_(tensor.impl()->storage()->absence.load() == tensor::kBeingCaptured) {
  if (is_output || is_captured_ || recorder_of(thread_state()) == nullptr) return;
  tensor_ = tensor.detach();
  reader_ = count_reader(tensor_.impl()->storage());
}

SavedTensor SavedTensor::form_of(const Tensor& tensor) {
  SavedTensor saved;
  saved.tensor_ = without_elements(tensor);
  saved.is_form_ = true;
  return saved;
}

SavedTensor SavedTensor::overwritten(const Tensor& tensor) {
  SavedTensor saved;
  saved.tensor_ = without_elements(tensor);
  saved.version_ = ~std::uint64_t{0};
  return saved;
}

const Tensor& SavedTensor::get(std::string_view op) const {
  if (is_form_ || is_captured_ || tensor_.version() == version_) [[likely]]
    return tensor_;
  core::raise(ErrorCode::kInvalidArgument,
              "[backward] the gradient of {} needs {}{}{} {} as it was, but it has been changed in "
              "place since; use an op that gives a new tensor there, or clone it before the change",
              op, tensor_.name().empty() ? "a tensor" : "'", tensor_.name(),
              tensor_.name().empty() ? "" : "'", tensor_.shape().to_string());
}

}  // namespace loci::eager
