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

// A replica that is some plan's home of the constant may have replicas itself.
void renew_from(const Tensor& old, const Tensor& renewed,
                const std::function<Tensor(const tensor::ReplicaKey&)>& make) {
  const tensor::StorageExtras* of_old = old.impl()->storage()->extras.find();
  if (of_old == nullptr) return;
  tensor::Storage& storage = *renewed.impl()->storage();
  for (const auto& known : of_old->replicas.all()) {
    auto made = std::make_shared<tensor::Replica>();
    made->key = known->key;
    made->version = storage.version.load(std::memory_order_acquire);
    made->tensor = make(known->key);
    storage.extras.get().replicas.put(std::move(made));
  }
}

}  // namespace

void renew_replicas(const Tensor& constant,
                    const std::function<Tensor(const tensor::ReplicaKey&)>& make) {
  tensor::Storage& storage = *constant.impl()->storage();
  tensor::StorageExtras* extras = storage.extras.find();
  if (extras == nullptr) return;
  for (const auto& known : extras->replicas.all()) {
    auto made = std::make_shared<tensor::Replica>();
    made->key = known->key;
    made->version = storage.version.load(std::memory_order_acquire);
    made->tensor = make(known->key);
    renew_from(known->tensor, made->tensor, make);
    extras->replicas.put(std::move(made));
  }
}

}  // namespace loci::transfer
