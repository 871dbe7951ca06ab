#include "framework/tensor/packed_forms.h"

#include <algorithm>
#include <mutex>
#include <utility>

namespace loci::tensor {

std::shared_ptr<const PackedForm> PackedForms::find(const PackedKey& key,
                                                    std::uint64_t version) const {
  const std::lock_guard lock(lock_);
  for (const auto& form : forms_) {
    if (form->key == key) return form->version == version ? form : nullptr;
  }
  return nullptr;
}

void PackedForms::put(std::shared_ptr<const PackedForm> form) {
  // What it replaces is released after the lock.
  std::shared_ptr<const PackedForm> previous;
  const std::lock_guard lock(lock_);
  const auto found = std::find_if(forms_.begin(), forms_.end(),
                                  [&](const auto& other) { return other->key == form->key; });
  if (found != forms_.end()) {
    previous = std::exchange(*found, std::move(form));
  } else {
    forms_.push_back(std::move(form));
  }
}

}  // namespace loci::tensor
