#include "tools/conformance/verify/launch/host_traps.h"

#include <fmt/format.h>

#include <cstdint>

#include "tools/conformance/verify/launch/watch.h"
#include "tools/conformance/verify/subject.h"

namespace loci::verify {
namespace {

void tell_of_launch(const char* what) {
  if (launching() == nullptr) return;
  watch().tell(fmt::format("launch of {} {}", launching()->name, what));
}

void* memory_alloc(loci_host* host, std::uint64_t bytes, std::uint64_t alignment) {
  tell_of_launch("takes memory of the host table; ask for a workspace in prepare");
  void* pointer = watch().host.memory_alloc(host, bytes, alignment);
  if (pointer != nullptr) ++watch().allocations;
  return pointer;
}

void memory_free(loci_host* host, void* pointer) {
  tell_of_launch("gives memory back to the host table");
  if (pointer != nullptr) --watch().allocations;
  watch().host.memory_free(host, pointer);
}

loci_str config_get(loci_host* host, loci_str key) {
  tell_of_launch("reads the configuration; do so in create");
  return watch().host.config_get(host, key);
}

std::uint32_t layout_intern(loci_host* host, loci_str text, std::uint64_t bytes) {
  tell_of_launch("interns a layout; do so in prepare");
  const std::uint32_t id = watch().host.layout_intern(host, text, bytes);
  const std::lock_guard lock(watch().mutex);
  watch().layouts[id] = view(text);
  return id;
}

struct Loop {
  loci_range_fn body;
  void* context;
  const Watched* launch;
};

void parallel_for(loci_host* host, std::int64_t begin, std::int64_t end, std::int64_t grain,
                  loci_range_fn body, void* context) {
  Loop loop{body, context, launching()};
  const auto range = [](void* of, std::int64_t first, std::int64_t last, std::uint32_t worker) {
    const Loop& carried = *static_cast<Loop*>(of);
    const Watched* before = exchange_launching(carried.launch);
    carried.body(carried.context, first, last, worker);
    exchange_launching(before);
  };
  watch().host.parallel_for(host, begin, end, grain, range, &loop);
}

}  // namespace

void set_host_traps(loci_host_api& table) {
  table.memory_alloc = memory_alloc;
  table.memory_free = memory_free;
  table.parallel_for = parallel_for;
  table.config_get = config_get;
  table.layout_intern = layout_intern;
}

}  // namespace loci::verify
