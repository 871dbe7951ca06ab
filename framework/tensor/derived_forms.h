// Forms that are made of a tensor's elements and kept beside them.
#pragma once

#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "framework/memory/spin_lock.h"

namespace loci::tensor {

// Forms of one storage, at most one for a key, for as long as the storage lives. A form is
// immutable and has its `key`, and the `version` of the storage that it was made of. Thread-safe.
template <class Form>
class DerivedForms {
 public:
  // The latest one, of whatever version; null where there is none.
  template <class Key>
  [[nodiscard]] std::shared_ptr<const Form> find(const Key& key) const {
    const std::lock_guard lock(lock_);
    const auto found = at(forms_, key);
    return found == forms_.end() ? nullptr : *found;
  }
  // The latest ones of all keys.
  [[nodiscard]] std::vector<std::shared_ptr<const Form>> all() const {
    const std::lock_guard lock(lock_);
    return forms_;
  }
  // Takes the place of one with the same key.
  void put(std::shared_ptr<const Form> form) {
    // The form that it replaces is released after the lock.
    std::shared_ptr<const Form> previous;
    const std::lock_guard lock(lock_);
    const auto found = at(forms_, form->key);
    if (found != forms_.end()) {
      previous = std::exchange(*found, std::move(form));
    } else {
      forms_.push_back(std::move(form));
    }
  }

 private:
  template <class List, class Key>
  static auto at(List& forms, const Key& key) {
    return std::find_if(forms.begin(), forms.end(),
                        [&](const auto& form) { return form->key == key; });
  }

  mutable memory::SpinLock lock_;
  std::vector<std::shared_ptr<const Form>> forms_;
};

}  // namespace loci::tensor
