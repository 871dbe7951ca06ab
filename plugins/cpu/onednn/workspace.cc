#include "plugins/cpu/onednn/workspace.h"

#include <atomic>
#include <loci/plugin/error.hpp>
#include <string>

#include "plugins/cpu/canary_block.h"

namespace loci::cpu::onednn {
namespace {

constexpr std::uint64_t kPieceAlignment = 64;

std::atomic<bool> uses_canaries{false};

}  // namespace

void use_canaries_in_workspaces() { uses_canaries = true; }

std::uint64_t Workspace::reserve(const dnnl::memory::desc& desc, std::string_view what) {
  const std::uint64_t begin = bytes_;
  const std::uint64_t size = desc.get_size();
  bytes_ += size;
  if (uses_canaries && size != 0) {
    gaps_.push_back({bytes_, size, what});
    bytes_ += CanaryBlock::kMargin;
  }
  bytes_ = (bytes_ + kPieceAlignment - 1) / kPieceAlignment * kPieceAlignment;
  return begin;
}

void Workspace::paint(std::byte* memory) const {
  for (const Gap& gap : gaps_) paint_canaries(memory + gap.offset, CanaryBlock::kMargin);
}

void Workspace::check(const std::byte* memory) const {
  for (const Gap& gap : gaps_) {
    const auto damage = find_damage(memory + gap.offset, CanaryBlock::kMargin);
    if (!damage) continue;
    throw sdk::Error(LOCI_CODE_INTERNAL,
                     "[cpu] oneDNN wrote " + std::to_string(damage->bytes) + " bytes behind " +
                         std::string(gap.what) + " of " + std::to_string(gap.piece) +
                         " bytes in its workspace, the first " + std::to_string(damage->offset) +
                         " bytes behind its end; report it, and set LOCI_CPU_ONEDNN=0");
  }
}

}  // namespace loci::cpu::onednn
