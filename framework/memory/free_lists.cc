#include "framework/memory/free_lists.h"

#include <bit>

namespace loci::memory {
namespace {

std::size_t list_of(std::uint64_t bytes) {
  const auto power = static_cast<std::size_t>(std::bit_width(bytes)) - 1;
  const std::uint64_t quarter = power < 2 ? 0 : (bytes >> (power - 2)) & 3;
  return power * 4 + static_cast<std::size_t>(quarter);
}

Block* best_of(Block* head, std::uint64_t bytes) {
  Block* best = nullptr;
  for (Block* block = head; block != nullptr; block = block->free_next) {
    if (block->bytes >= bytes && (best == nullptr || block->bytes < best->bytes)) best = block;
  }
  return best;
}

}  // namespace

Block* FreeLists::find(std::uint64_t bytes) const noexcept {
  // Only the first list can hold blocks that are too small.
  for (std::size_t list = next_used(list_of(bytes)); list < kLists; list = next_used(list + 1)) {
    if (Block* best = best_of(heads_[list], bytes)) return best;
  }
  return nullptr;
}

std::size_t FreeLists::next_used(std::size_t list) const noexcept {
  for (std::size_t word = list / 64; word < used_.size(); ++word) {
    const std::uint64_t mask =
        word == list / 64 ? ~std::uint64_t{0} << (list % 64) : ~std::uint64_t{0};
    const std::uint64_t bits = used_[word] & mask;
    if (bits != 0) return word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
  }
  return kLists;
}

void FreeLists::insert(Block* block) noexcept {
  const std::size_t list = list_of(block->bytes);
  block->free_previous = nullptr;
  block->free_next = heads_[list];
  if (block->free_next != nullptr) block->free_next->free_previous = block;
  heads_[list] = block;
  used_[list / 64] |= std::uint64_t{1} << (list % 64);
}

void FreeLists::erase(Block* block) noexcept {
  const std::size_t list = list_of(block->bytes);
  if (block->free_next != nullptr) block->free_next->free_previous = block->free_previous;
  if (block->free_previous != nullptr) {
    block->free_previous->free_next = block->free_next;
  } else {
    heads_[list] = block->free_next;
  }
  if (heads_[list] == nullptr) used_[list / 64] &= ~(std::uint64_t{1} << (list % 64));
}

}  // namespace loci::memory
