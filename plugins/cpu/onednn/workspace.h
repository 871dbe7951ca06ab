// Primitives take pieces of an op's workspace, one behind the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <oneapi/dnnl/dnnl.hpp>
#include <string_view>
#include <vector>

namespace loci::cpu::onednn {

// Has workspaces that are laid out from now on keep canaries behind each piece: those of a
// primitive lie side by side, so that one is overwritten before what lies beside the workspace.
void use_canaries_in_workspaces();

class Workspace {
 public:
  // The offset of a piece for data of that layout. The text is STATIC.
  std::uint64_t reserve(const dnnl::memory::desc& desc, std::string_view what);
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

  // Before and after a launch in the workspace at `memory`. The latter throws
  // sdk::Error(LOCI_CODE_INTERNAL) if canaries were changed.
  void paint(std::byte* memory) const;
  void check(const std::byte* memory) const;

 private:
  struct Gap {
    std::uint64_t offset;
    std::uint64_t piece;  // bytes of that before it
    std::string_view what;
  };
  std::uint64_t bytes_ = 0;
  std::vector<Gap> gaps_;  // none without canaries
};

}  // namespace loci::cpu::onednn
