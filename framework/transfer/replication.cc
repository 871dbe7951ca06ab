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

}  // namespace loci::transfer
