// Running a oneDNN primitive of one thread on the memory of a launch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <loci/plugin/kernel.hpp>
#include <memory>
#include <oneapi/dnnl/dnnl.hpp>
#include <optional>
#include <vector>

#include "plugins/cpu/onednn/elements.h"
#include "plugins/cpu/onednn/serial_openmp.h"
#include "plugins/cpu/onednn/workspace.h"
#include "plugins/kernels/image_layout.h"

namespace loci::cpu::onednn {

// Where the data of an argument, or of a part of it, lies and how.
struct Slice {
  dnnl::memory::desc desc;
  std::int64_t begin = 0;  // bytes from the begin of the argument's data
};

// A primitive, bound to the arguments of an op by their flat indices. Where it chose another layout
// than that of the op, data is reordered in the workspace. Arguments are as `Elements` describes
// them. Immutable after the last change; run() may be called from several threads.
class Execution {
 public:
  // Null when oneDNN has nothing better than loops without vectors. Made within a SerialOpenMp, as
  // the description is.
  template <class PrimitiveDesc, class Primitive>
  static std::optional<Execution> of(const Elements& elements, const PrimitiveDesc& desc) {
    if (is_plain(desc.impl_info_str())) return std::nullopt;
    return Execution(elements, Primitive(desc), desc.scratchpad_desc());
  }

  // `argument` is a DNNL_ARG_*; `chosen` the primitive's layout.
  void bind_input(int argument, std::uint32_t index, const Slice& given,
                  const dnnl::memory::desc& chosen);
  void bind_output(int argument, std::uint32_t index, const Slice& given,
                   const dnnl::memory::desc& chosen);
  // Binds like bind_input() an input that may be a constant: where the primitive does not take it
  // as it is, it is packed so that nothing is converted or reordered in a launch.
  void bind_weights(int argument, std::uint32_t index, const sdk::Arg& input, const Slice& given,
                    const dnnl::memory::desc& chosen);

  // An argument of the op.
  struct Binding {
    int argument;
    std::uint32_t index;
    enum class Kind : std::uint8_t { kInput, kOutput, kPacked } kind;
    Slice given;                                // for a packed one: what is packed
    dnnl::memory::desc chosen;                  //
    std::int64_t packed_begin = 0;              // bytes from the begin of the packed constant
    bool is_prepared = false;                   // reordered before run(), at `offset`
    std::uint64_t offset = 0;                   // of the reordered data in the workspace
    std::optional<dnnl::reorder> reorder = {};  // that run() does
    [[nodiscard]] bool is_reordered() const { return given.desc != chosen; }
  };
  [[nodiscard]] const Elements& elements() const { return elements_; }
  // How it writes output 0, where that is images.
  void set_output_layout(kernels::ImageLayout layout) { output_layout_ = layout; }
  [[nodiscard]] kernels::ImageLayout output_layout() const { return output_layout_; }
  [[nodiscard]] std::vector<Binding>& bindings() { return bindings_; }
  [[nodiscard]] const std::vector<Binding>& bindings() const { return bindings_; }

  // Once all is bound: takes what it needs of the workspace.
  void lay_out(Workspace* workspace);

  // Returns about what the primitive and its reorders keep: oneDNN does not tell.
  [[nodiscard]] std::uint64_t memory_bytes() const;
  // Only on a thread that is within a SerialOpenMp.
  void run(const sdk::Launch& launch) const;

 private:
  // Handles of memory, which launches take in turn: to make them costs as much as a small product.
  class Handles;
  class HandlePool;
  struct DeletePool {
    void operator()(HandlePool* pool) const;
  };

  static bool is_plain(const char* implementation);
  Execution(const Elements& elements, dnnl::primitive primitive, dnnl::memory::desc scratchpad);

  Elements elements_;
  kernels::ImageLayout output_layout_ = kernels::ImageLayout::kNchw;
  dnnl::primitive primitive_;
  dnnl::stream stream_;
  dnnl::memory::desc scratchpad_;
  std::uint64_t scratchpad_offset_ = 0;
  std::vector<Binding> bindings_;
  std::unique_ptr<HandlePool, DeletePool> handles_;
};

// Reserved for data of that layout in a packed constant: where it ends.
std::uint64_t end_of_data(std::uint64_t begin, const dnnl::memory::desc& desc);

}  // namespace loci::cpu::onednn
