#include "framework/execution/arena_set.h"

#include <algorithm>

namespace loci::execution {
namespace {

char* begin_of(const memory::Buffer& buffer, const memory::PinnedBuffer* pinned) {
  return static_cast<char*>(pinned != nullptr ? pinned->data() : buffer.data());
}

// Programs come with sizes that are greater by little each time. Each of those would get an arena
// of its own, for which the allocator cannot use the one before. Devices have no memory to spare.
Arena with_reserve(const Arena& wanted, std::uint64_t before) {
  Arena arena = wanted;
  const bool is_of_host = wanted.space == nullptr && wanted.pinned_for == nullptr;
  if (is_of_host) arena.bytes = std::max(wanted.bytes, before + before / 8);
  return arena;
}

}  // namespace

ArenaSet::~ArenaSet() {
  if (counted_ != nullptr) *counted_ -= bytes_;
}

char* ArenaSet::room_for(const Arena& wanted, FrameMemory& memory) {
  Room& room = room_of(wanted);
  if (room.size.bytes < wanted.bytes) [[unlikely]] {
    // First what is too small goes, which the new one may take the place of.
    const std::uint64_t before = room.size.bytes;
    free(&room);
    allocate(with_reserve(wanted, before), memory, &room);
  }
  return begin_of(room.buffer, room.pinned.get());
}

ArenaSet::Room& ArenaSet::room_of(const Arena& kind) {
  const auto known = std::find_if(rooms_.begin(), rooms_.end(), [&](const Room& room) {
    return room.size.space == kind.space && room.size.pinned_for == kind.pinned_for;
  });
  if (known != rooms_.end()) [[likely]]
    return *known;
  Room& room = rooms_.emplace_back();
  room.size = {kind.space, kind.pinned_for, 0};
  return room;
}

void ArenaSet::free(Room* room) {
  count(-room->size.bytes);
  room->size.bytes = 0;
  room->buffer = {};
  room->pinned.reset();
}

void ArenaSet::allocate(const Arena& wanted, FrameMemory& memory, Room* room) {
  if (wanted.pinned_for != nullptr) {
    room->pinned =
        std::make_unique<memory::PinnedBuffer>(*wanted.pinned_for, wanted.bytes, "(pinned arena)");
  } else {
    room->buffer = memory.allocate(wanted.space, wanted.bytes, "(plan arena)");
  }
  room->size.bytes = wanted.bytes;
  count(wanted.bytes);
}

// Modulo 2^64.
void ArenaSet::count(std::uint64_t bytes) {
  bytes_ += bytes;
  if (counted_ != nullptr) *counted_ += bytes;
}

}  // namespace loci::execution
