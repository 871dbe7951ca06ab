#include "tools/cuda_double/ptx/run/access_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <string>

#include "tools/cuda_double/ptx/run/lanes.h"

namespace loci::cuda_double {
namespace {

template <class Bits>
void set_bits(Bits& bits, std::uint64_t first, std::uint64_t count) {
  for (std::uint64_t i = first; i < first + count; ++i)
    bits[i / 64] |= std::uint64_t{1} << (i % 64);
}

template <class Bits>
bool has_bit(const Bits& bits, std::uint64_t number) {
  return (bits[number / 64] >> (number % 64) & 1) != 0;
}

std::string place_text(const FunctionCode& function, std::uint32_t place) {
  const SourceLine line = source_line(function, place);
  if (!line.source.empty()) return line.source;
  return fmt::format("PTX line {}", function.places[place].ptx_line);
}

}  // namespace

void AccessRecord::add(const Warp& warp, LaneMask mask, const LaneAddresses& addresses,
                       const MemoryAccess& access) {
  for_each_lane(mask, [&](std::uint32_t lane) {
    std::uint64_t address = addresses[lane];
    const std::uint64_t end = address + access.bytes;
    while (address < end) {  // at most two pages
      const std::uint64_t stop = std::min(end, (address / kPageBytes + 1) * kPageBytes);
      const auto bytes = static_cast<std::uint32_t>(stop - address);
      if (access.reads) add_bytes(address, bytes, false, access.strong, warp);
      if (access.writes) add_bytes(address, bytes, true, access.strong, warp);
      address = stop;
    }
  });
}

void AccessRecord::add_bytes(std::uint64_t address, std::uint32_t bytes, bool write, bool strong,
                             const Warp& warp) {
  const std::uint64_t number = address / kPageBytes;
  if (number != last_number_) {
    std::unique_ptr<Page>& page = pages_[number];
    if (page == nullptr) page = std::make_unique<Page>();
    last_page_ = page.get();
    last_number_ = number;
  }
  Side& side = write ? last_page_->written : last_page_->read;
  set_bits(side.touched, address % kPageBytes, bytes);
  if (!strong) set_bits(side.weak, address % kPageBytes, bytes);
  if (side.function == nullptr) {
    side.function = warp.frame->function;
    side.place = warp.instruction->place;
  }
}

void AccessRecord::merge(AccessRecord& other) {
  const auto join = [](Side& into, const Side& from) {
    for (std::size_t i = 0; i < into.touched.size(); ++i) {
      into.touched[i] |= from.touched[i];
      into.weak[i] |= from.weak[i];
    }
    if (into.function == nullptr) {
      into.function = from.function;
      into.place = from.place;
    }
  };
  for (auto& [number, page] : other.pages_) {
    std::unique_ptr<Page>& own = pages_[number];
    if (own == nullptr) {
      own = std::move(page);
    } else {
      join(own->read, page->read);
      join(own->written, page->written);
    }
  }
  other.pages_.clear();
  other.last_number_ = ~std::uint64_t{0};
}

void AccessRecord::report(AccessObserver& observer, const DeviceMemory& memory) const {
  report_side(observer, memory, false);
  report_side(observer, memory, true);
}

void AccessRecord::report_side(AccessObserver& observer, const DeviceMemory& memory,
                               bool written) const {
  AccessedRange open;
  std::uint64_t allocation_end = 0;
  std::string source;
  const auto close = [&] {
    if (open.bytes == 0) return;
    open.source = source;
    observer.accessed(open);
    open.bytes = 0;
  };
  for (const auto& [number, page] : pages_) {
    const Side& side = written ? page->written : page->read;
    if (side.function == nullptr) continue;
    for (std::uint64_t i = 0; i < kPageBytes; ++i) {
      if (!has_bit(side.touched, i)) continue;
      const std::uint64_t address = number * kPageBytes + i;
      const bool atomic = !has_bit(side.weak, i);
      const bool follows = open.bytes > 0 && open.begin + open.bytes == address &&
                           address < allocation_end && open.atomic == atomic;
      if (follows) {
        ++open.bytes;
        continue;
      }
      close();
      open = {address, 1, written, atomic, {}};
      allocation_end = memory.extent(address).end;
      source = place_text(*side.function, side.place);
    }
  }
  close();
}

}  // namespace loci::cuda_double
