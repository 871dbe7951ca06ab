#include "tools/cuda_double/ptx/run/global_races.h"

#include <fmt/format.h>

#include <algorithm>

#include "tools/cuda_double/memory/device_memory.h"
#include "tools/cuda_double/ptx/run/block.h"
#include "tools/cuda_double/ptx/run/grid.h"

namespace loci::cuda_double {
namespace {

constexpr std::uint64_t kPageBytes = 4096;
constexpr std::uint64_t kWordBytes = 4;
constexpr std::uint64_t kCellsPerPage = kPageBytes / kWordBytes;

// Held for moments, by the two threads at most that meet in a cell.
class CellLock {
 public:
  explicit CellLock(std::atomic<std::uint8_t>& flag) : flag_(flag) {
    while (flag_.exchange(1, std::memory_order_acquire) != 0) {
    }
  }
  ~CellLock() { flag_.store(0, std::memory_order_release); }
  CellLock(const CellLock&) = delete;
  CellLock& operator=(const CellLock&) = delete;

 private:
  std::atomic<std::uint8_t>& flag_;
};

}  // namespace

// One block's last access to a word; `bytes` has a bit for each byte.
struct GlobalRaces::Visit {
  std::uint32_t block = 0;  // 1 + its number; 0: none
  std::uint32_t epoch = 0;  // releases that the block had made before
  const FunctionCode* function = nullptr;
  std::uint32_t place = 0;
  std::uint8_t bytes = 0;
  bool strong = false;
  bool write = false;
};

struct GlobalRaces::Cell {
  Visit writer;
  Visit reader;
  Visit earlier_reader;
  std::atomic<std::uint8_t> lock{0};
};

GlobalRaces::GlobalRaces(const DeviceMemory& memory)
    : first_(memory.range_begin()),
      bytes_(memory.range_bytes()),
      pages_(memory.range_bytes() / kPageBytes * sizeof(std::atomic<Cell*>)) {}

GlobalRaces::~GlobalRaces() {
  for (Cell* cells : owned_) delete[] cells;
}

BlockClock& GlobalRaces::begin(std::uint64_t block) {
  const std::lock_guard lock(clocks_mutex_);
  BlockClock& clock = clocks_[block];
  clock.block = block;
  return clock;
}

void GlobalRaces::end(const BlockClock& clock) {
  const std::lock_guard lock(clocks_mutex_);
  if (clock.releases.empty()) clocks_.erase(clock.block);
}

GlobalRaces::Cell& GlobalRaces::cell(std::uint64_t address) {
  const std::uint64_t offset = address - first_;
  auto& page = reinterpret_cast<std::atomic<Cell*>*>(pages_.data())[offset / kPageBytes];
  Cell* cells = page.load(std::memory_order_acquire);
  if (cells == nullptr) {
    const std::lock_guard lock(page_mutex_);
    cells = page.load(std::memory_order_relaxed);
    if (cells == nullptr) {
      cells = new Cell[kCellsPerPage];
      owned_.push_back(cells);
      page.store(cells, std::memory_order_release);
    }
  }
  return cells[offset % kPageBytes / kWordBytes];
}

bool GlobalRaces::ordered(BlockClock& reader, std::uint32_t block, std::uint32_t epoch) {
  const std::lock_guard lock(clocks_mutex_);
  const auto found = clocks_.find(block);
  if (found == clocks_.end()) return false;
  BlockClock& other = found->second;
  const std::lock_guard other_lock(other.mutex);
  return epoch < other.releases.size() && other.releases[epoch] < reader.acquired;
}

void GlobalRaces::fail(Warp& warp, std::uint32_t lane, std::uint64_t address, bool write,
                       const Visit& other) {
  const SourceLine line = source_line(*other.function, other.place);
  const Dim3 block = warp.block->grid->config->grid.place(other.block - 1U);
  raise_fault(
      warp, FaultKind::kGlobalRace, lane,
      fmt::format("{} global memory at {:#x}, which block ({},{},{}) {} at {}{}PTX line {} "
                  "with nothing that orders them: {}",
                  write ? "writes" : "reads", address, block.x, block.y, block.z,
                  other.write ? "writes" : "reads", line.source, line.source.empty() ? "" : ", ",
                  other.function->places[other.place].ptx_line,
                  warp.block->grid->memory->describe(address)),
      address);
}

void GlobalRaces::visit(Warp& warp, std::uint32_t lane, std::uint64_t address, Cell& cell,
                        const Visit& now) {
  BlockClock& clock = *warp.block->clock;
  const auto check = [&](const Visit& visit) {
    if (visit.block == 0 || visit.block == now.block || (visit.bytes & now.bytes) == 0) return;
    if ((visit.strong && now.strong) || ordered(clock, visit.block - 1, visit.epoch)) return;
    fail(warp, lane, address, now.write, visit);
  };
  const auto note = [&](Visit& visit) {
    // A word whose bytes this block touched one after the other.
    const bool same = visit.block == now.block && visit.strong == now.strong;
    const std::uint8_t before = same ? visit.bytes : 0;
    visit = now;
    visit.bytes |= before;
  };
  check(cell.writer);
  if (!now.write) {
    if (cell.reader.block != now.block) cell.earlier_reader = cell.reader;
    note(cell.reader);
    return;
  }
  check(cell.reader);
  check(cell.earlier_reader);
  note(cell.writer);
}

void GlobalRaces::access(Warp& warp, std::uint32_t lane, std::uint64_t address, std::uint32_t bytes,
                         bool write, bool strong) {
  if (address - first_ >= bytes_) return;
  BlockClock& clock = *warp.block->clock;
  if (clock.acquires) {
    clock.acquired = order_.load();
    clock.acquires = false;
  }
  Visit now;
  now.block = static_cast<std::uint32_t>(warp.block->index) + 1;
  now.epoch = static_cast<std::uint32_t>(clock.releases.size());
  now.function = warp.frame->function;
  now.place = warp.instruction->place;
  now.strong = strong;
  now.write = write;
  const std::uint64_t end = address + bytes;
  while (address < end) {
    const std::uint64_t stop = std::min(end, (address / kWordBytes + 1) * kWordBytes);
    const auto first = static_cast<unsigned>(address % kWordBytes);
    const auto count = static_cast<unsigned>(stop - address);
    now.bytes = static_cast<std::uint8_t>(((1U << count) - 1) << first);
    Cell& here = cell(address);
    const CellLock lock(here.lock);
    visit(warp, lane, address, here, now);
    address = stop;
  }
}

void GlobalRaces::fence(BlockClock& clock) {
  if (clock.has_strong_read) clock.acquired = order_.load();
  clock.fenced = true;
}

void GlobalRaces::strong_write(BlockClock& clock, bool releases) {
  if (!clock.fenced && !releases) return;
  const std::lock_guard lock(clock.mutex);
  clock.releases.push_back(order_.fetch_add(1));
  clock.fenced = false;
}

void GlobalRaces::strong_read(BlockClock& clock, bool acquires) {
  clock.has_strong_read = true;
  clock.acquires |= acquires;
}

}  // namespace loci::cuda_double
