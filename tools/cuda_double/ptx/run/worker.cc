#include "tools/cuda_double/ptx/run/worker.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "tools/cuda_double/ptx/run/block_run.h"
#include "tools/cuda_double/ptx/run/draw.h"

namespace loci::cuda_double {
namespace {

// After so many warp-instructions another block gets its turn, for this one may wait for it.
constexpr std::uint64_t kBlockQuantum = std::uint64_t{1} << 18;
constexpr std::size_t kMostLive = 256;

}  // namespace

BlockOrder::BlockOrder(std::uint64_t count, std::uint64_t seed) : count_(count), seed_(seed) {
  half_bits_ = std::max(1U, (static_cast<unsigned>(std::bit_width(count)) + 1) / 2);
}

// A Feistel network is a permutation of the numbers below a power of four; numbers beyond the count
// are sent through again.
std::uint64_t BlockOrder::permuted(std::uint64_t number) const {
  const std::uint64_t mask = (std::uint64_t{1} << half_bits_) - 1;
  do {
    std::uint64_t left = number >> half_bits_ & mask;
    std::uint64_t right = number & mask;
    for (std::uint64_t round = 0; round < 4; ++round) {
      const std::uint64_t next = left ^ (mixed(seed_ + round * 0x51ed27 + right) & mask);
      left = right;
      right = next;
    }
    number = left << half_bits_ | right;
  } while (number >= count_);
  return number;
}

bool BlockOrder::take(std::uint64_t& index) {
  const std::uint64_t number = next_.fetch_add(1, std::memory_order_relaxed);
  if (number >= count_) return false;
  index = seed_ == 0 ? number : permuted(number);
  return true;
}

Worker::Worker(Grid& grid, BlockOrder& order) : grid_(grid), order_(order) {
  counts_.lanes_by_opcode.resize(grid.module->opcode_names.size());
}

bool Worker::start_block() {
  std::uint64_t index = 0;
  if (!order_.take(index)) return false;
  std::unique_ptr<Block> block;
  if (unused_.empty()) {
    block = std::make_unique<Block>();
    block->counts = grid_.config->count ? &counts_ : nullptr;
    block->accesses = grid_.config->observer != nullptr ? &accesses_ : nullptr;
  } else {
    block = std::move(unused_.back());
    unused_.pop_back();
  }
  begin_block(*block, grid_, index);
  live_.push_back(std::move(block));
  return true;
}

void Worker::check_limit(std::uint64_t executed) {
  counts_.warp_instructions += executed;
  const std::uint64_t total = grid_.executed.fetch_add(executed) + executed;
  if (total <= grid_.config->instruction_limit) return;
  const std::string text = fmt::format(
      "the launch has executed {} warp-instructions, and {} are allowed; it may never end", total,
      grid_.config->instruction_limit);
  for (const auto& warp : live_.back()->warps) {
    if (warp->splits.empty()) continue;
    const Split& split = *warp->splits.front();
    warp->frame = split.frame;
    warp->instruction = &split.frame->function->code[split.pc];
    raise_fault(*warp, FaultKind::kInstructionLimit, lowest_lane(split.mask), text);
  }
  // This block is done, and there are more.
  FaultReport report;
  report.kind = FaultKind::kInstructionLimit;
  report.kernel = grid_.kernel->name;
  report.text = text;
  throw KernelFault(std::move(report));
}

void Worker::run_blocks() {
  const bool all_at_once = grid_.config->cooperative;
  while (all_at_once && start_block()) {
  }
  const std::uint64_t quantum =
      std::min(kBlockQuantum, std::max<std::uint64_t>(1, grid_.config->instruction_limit));
  bool waits = live_.empty();
  for (;;) {
    if (grid_.stopped.load(std::memory_order_relaxed)) return;
    if (waits && live_.size() < kMostLive) (void)start_block();
    if (live_.empty()) return;
    std::unique_ptr<Block>& block = live_.back();
    std::uint64_t executed = 0;
    const bool done = run_block(*block, quantum, executed);
    check_limit(executed);
    waits = true;
    if (done) {
      unused_.push_back(std::move(block));
      live_.pop_back();
      waits = live_.empty();
    } else {
      std::rotate(live_.begin(), live_.end() - 1, live_.end());
    }
  }
}

void Worker::run() noexcept {
  try {
    run_blocks();
  } catch (...) {
    const std::lock_guard lock(grid_.fault_mutex);
    if (grid_.fault == nullptr) grid_.fault = std::current_exception();
    grid_.stopped = true;
  }
}

}  // namespace loci::cuda_double
