#include "framework/profiler/memory_use.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "framework/profiler/abi_text.h"
#include "framework/profiler/id_map.h"

namespace loci::profiler {
namespace {

// The number of each text's content.
std::vector<std::uint32_t> content_numbers(const std::vector<std::string>& texts) {
  std::unordered_map<std::string_view, std::uint32_t> numbers;
  std::vector<std::uint32_t> result;
  result.reserve(texts.size());
  for (const std::string& text : texts) {
    result.push_back(
        numbers.emplace(text, static_cast<std::uint32_t>(numbers.size())).first->second);
  }
  return result;
}

class Follower {
 public:
  Follower(const Recording& recording, const Nesting& nesting)
      : recording_(recording), nesting_(nesting), contents_(content_numbers(recording.texts)) {}

  MemoryUse run() {
    const std::vector<MemoryEvent>& recorded = recording_.memory_events;
    std::vector<std::uint32_t> order(recorded.size());
    std::iota(order.begin(), order.end(), 0U);
    const auto is_earlier = [&](std::uint32_t a, std::uint32_t b) {
      return recorded[a].at_ns < recorded[b].at_ns;
    };
    if (!std::is_sorted(order.begin(), order.end(), is_earlier)) {
      std::stable_sort(order.begin(), order.end(), is_earlier);
    }
    use_.events.reserve(recorded.size());
    for (const std::uint32_t index : order) add(recorded[index]);
    sort_tensors();
    return std::move(use_);
  }

 private:
  struct Block {
    std::uint32_t tensor = LOCI_PROFILE_NONE;
    std::uint64_t bytes = 0;
  };
  // The blocks of one place, by address.
  struct Place {
    std::unordered_map<std::uint64_t, Block> blocks;
    std::uint64_t in_use = 0;
  };

  void add(const MemoryEvent& recorded) {
    Place& place = places_[contents_[recorded.place]];
    loci_profile_memory_event event{};
    event.at_ns = recorded.at_ns;
    event.address = recorded.address;
    event.bytes = recorded.bytes;
    event.is_free = recorded.is_free ? 1 : 0;
    event.tensor = recorded.is_free ? release(place, recorded) : allocate(place, recorded);
    event.in_use = place.in_use;
    event.span = recorded.thread == LOCI_PROFILE_NONE
                     ? LOCI_PROFILE_NONE
                     : span_at(nesting_, recorded.thread, recorded.at_ns);
    use_.events.push_back(event);
  }

  std::uint32_t allocate(Place& place, const MemoryEvent& recorded) {
    Block& block = place.blocks[recorded.address];
    if (block.tensor != LOCI_PROFILE_NONE) forget(place, block);
    block = {tensor_of(recorded), recorded.bytes};
    place.in_use += block.bytes;
    loci_profile_tensor& tensor = use_.tensors[block.tensor];
    ++tensor.allocations;
    tensor.allocated_bytes += block.bytes;
    live_[block.tensor] += block.bytes;
    tensor.peak_bytes = std::max(tensor.peak_bytes, live_[block.tensor]);
    return block.tensor;
  }

  std::uint32_t release(Place& place, const MemoryEvent& recorded) {
    const auto found = place.blocks.find(recorded.address);
    std::uint32_t index = LOCI_PROFILE_NONE;
    if (found == place.blocks.end()) {
      index = tensor_of(recorded);
    } else {
      index = found->second.tensor;
      forget(place, found->second);
      place.blocks.erase(found);
    }
    ++use_.tensors[index].frees;
    use_.tensors[index].freed_bytes += recorded.bytes;
    return index;
  }

  void forget(Place& place, const Block& block) {
    place.in_use -= block.bytes;
    live_[block.tensor] -= block.bytes;
  }

  std::uint32_t tensor_of(const MemoryEvent& recorded) {
    const std::uint64_t key =
        (std::uint64_t{contents_[recorded.name]} << 32) | contents_[recorded.place];
    const auto [index, is_new] =
        indexes_.emplace(key, static_cast<std::uint32_t>(use_.tensors.size()));
    if (is_new) {
      loci_profile_tensor tensor{};
      tensor.name = to_abi(recording_.texts[recorded.name]);
      tensor.place = to_abi(recording_.texts[recorded.place]);
      use_.tensors.push_back(tensor);
      live_.push_back(0);
    }
    return index;
  }

  void sort_tensors() {
    const std::vector<loci_profile_tensor> unsorted = use_.tensors;
    std::vector<std::uint32_t> order(unsorted.size());
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return std::tie(unsorted[b].peak_bytes, unsorted[b].allocated_bytes) <
             std::tie(unsorted[a].peak_bytes, unsorted[a].allocated_bytes);
    });
    std::vector<std::uint32_t> position(unsorted.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      use_.tensors[i] = unsorted[order[i]];
      position[order[i]] = static_cast<std::uint32_t>(i);
    }
    for (loci_profile_memory_event& event : use_.events) event.tensor = position[event.tensor];
  }

  const Recording& recording_;
  const Nesting& nesting_;
  const std::vector<std::uint32_t> contents_;
  std::unordered_map<std::uint32_t, Place> places_;
  IdMap indexes_;                    // (name, place) -> tensor
  std::vector<std::uint64_t> live_;  // bytes of each tensor
  MemoryUse use_;
};

}  // namespace

MemoryUse follow_memory(const Recording& recording, const Nesting& nesting) {
  return Follower(recording, nesting).run();
}

}  // namespace loci::profiler
