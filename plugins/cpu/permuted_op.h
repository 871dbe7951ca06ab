// An operator on images whose channels come last, as the same one on plain tensors of other
// extents.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <loci/plugin/kernel.hpp>
#include <vector>

namespace loci::cpu {

// Images are [batch, height, width, channels] there. Immutable.
class PermutedOp {
 public:
  // Says what the arguments that are no images stand for.
  enum class Others : std::uint8_t {
    kBroadcast,  // one pixel or one channel, which lie alike in both layouts
    kChannels,   // a number for each channel, which stay what they are
  };

  // Permutes an operator on images of the extents `images`, which have to live as long as this.
  // Throws sdk::Error(LOCI_CODE_UNSUPPORTED) where not all of them have channels last, or may have.
  PermutedOp(const sdk::OpDesc& op, sdk::Dims images, Others others);
  PermutedOp(const PermutedOp&) = delete;
  PermutedOp& operator=(const PermutedOp&) = delete;

  [[nodiscard]] const loci_op_desc& desc() const { return desc_; }

  // Prepares `kernel`, which is one for the permuted operator, as what `prepare` asks for, and
  // chooses kNhwc for the outputs that are images.
  void prepare_by(const sdk::Kernel& kernel, sdk::Prepare& prepare) const;

 private:
  template <class AreLast>
  std::vector<loci_arg> permuted(const loci_arg* args, std::uint32_t count,
                                 const AreLast& channels_are_last);
  void require_alike(sdk::Dims dims, bool channels_are_last) const;
  // Returns true if the kernel may say how an output lies.
  [[nodiscard]] bool may_choose(const sdk::Arg& output) const;

  Others others_;
  sdk::Dims images_;
  loci_op_desc desc_;
  std::deque<std::array<std::int64_t, 4>> dims_;
  std::vector<loci_arg> inputs_;
  std::vector<loci_arg> outputs_;
};

// Returns true if an input comes in kNhwc.
bool reads_nhwc(const sdk::OpDesc& op);

}  // namespace loci::cpu
