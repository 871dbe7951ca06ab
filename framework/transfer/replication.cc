#include "framework/transfer/replication.h"

#include <utility>

#include "framework/tensor/tensor_impl.h"

namespace loci::transfer {

std::shared_ptr<const tensor::Replica> replica(const Tensor& constant, const Place& place,
                                               const Labels& labels) {
  const tensor::TensorImpl& impl = *constant.impl();
  tensor::Storage& storage = *impl.storage();
  const std::uint64_t version = storage.version.load(std::memory_order_acquire);
  const tensor::ReplicaKey key{place, impl.dtype(), impl.shape(), impl.offset()};
  auto known = storage.extras.get().replicas.find(key);
  if (known != nullptr && tensor::is_current(*known, storage)) return known;
  Labels reasoned = labels;
  if (known == nullptr) reasoned.reason = Reason::kLoad;
  auto made = std::make_shared<tensor::Replica>();
  made->key = key;
  made->version = version;
  made->tensor = to_place(constant, place, reasoned);
  storage.extras.get().replicas.put(made);
  return made;
}

namespace {

// A replica that is some plan's home of the constant may have replicas itself: what replaces it
// gets these, too.
void renew_forms(const tensor::StorageExtras* known_forms, tensor::Storage& storage,
                 const std::function<Tensor(const tensor::ReplicaKey&)>& make) {
  if (known_forms == nullptr) return;
  for (const auto& known : known_forms->replicas.all()) {
    auto made = std::make_shared<tensor::Replica>();
    made->key = known->key;
    made->version = storage.version.load(std::memory_order_acquire);
    made->tensor = make(known->key);
    renew_forms(known->tensor.impl()->storage()->extras.find(), *made->tensor.impl()->storage(),
                make);
    storage.extras.get().replicas.put(std::move(made));
  }
}

}  // namespace

void renew_replicas(const Tensor& constant,
                    const std::function<Tensor(const tensor::ReplicaKey&)>& make) {
  tensor::Storage& storage = *constant.impl()->storage();
  renew_forms(storage.extras.find(), storage, make);
}

}  // namespace loci::transfer
