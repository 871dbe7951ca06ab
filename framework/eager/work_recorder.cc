#include "framework/eager/work_recorder.h"

#include <utility>

#include "framework/eager/queue.h"
#include "framework/memory/node_pool.h"

namespace loci::eager {

std::shared_ptr<tensor::Storage> make_storage(WorkRecorder& recorder, device::Device* space,
                                              memory::Buffer memory, Queue& queue,
                                              const char* name) {
  auto storage = memory::make_pooled<tensor::Storage>();
  storage->bytes = memory.bytes();
  storage->name = name;
  storage->extras.get().pool = recorder.pool(space);
  storage->buffer = std::move(memory);
  storage->data = storage->buffer.data();
  if (space != nullptr) {
    storage->place = space->place();
    storage->device = space;
    storage->home = &queue;
  }
  return storage;
}

std::shared_ptr<tensor::Storage> make_storage(WorkRecorder& recorder, device::Device* space,
                                              std::uint64_t bytes, Queue& queue, const char* name) {
  return make_storage(recorder, space, recorder.allocate(space, bytes, queue, name), queue, name);
}

}  // namespace loci::eager
