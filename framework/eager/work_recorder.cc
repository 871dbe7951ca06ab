#include "framework/eager/work_recorder.h"

#include "framework/eager/lane.h"
#include "framework/memory/node_pool.h"

namespace loci::eager {

std::shared_ptr<tensor::Storage> make_storage(WorkRecorder& recorder, device::Device* space,
                                              std::uint64_t bytes, Lane& lane, const char* name) {
  auto storage = memory::make_pooled<tensor::Storage>();
  storage->bytes = bytes;
  storage->name = name;
  storage->extras.get().pool = recorder.pool(space);
  storage->buffer = recorder.allocate(space, bytes, lane, name);
  storage->data = storage->buffer.data();
  if (space != nullptr) {
    storage->place = space->place();
    storage->device = space;
    storage->home = &lane;
  }
  return storage;
}

}  // namespace loci::eager
