// Running oneDNN primitives on the memory of a launch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <loci/plugin/kernel.hpp>
#include <oneapi/dnnl/dnnl.hpp>
#include <optional>
#include <string_view>
#include <vector>

#include "plugins/cpu/onednn/elements.h"
#include "plugins/kernels/isa.h"

namespace loci::cpu::onednn {

// The processor as oneDNN sees it; one for the process.
const dnnl::engine& engine();
// "oneDNN 2.6.3, avx2": with the instruction set that it uses, which ONEDNN_MAX_CPU_ISA may limit.
std::string_view version_text();
// Keeps oneDNN from what is beyond `most`; before anything else of it is used.
void limit_isa(kernels::Isa most);

// A primitive, bound to the arguments of an op by their flat indices. Where it chose another layout
// than that of the op, data is reordered in the workspace. Arguments are as `Elements` describes
// them. Immutable after the last bind; run() may be called from several threads.
class Execution {
 public:
  // Null when oneDNN has nothing better than loops without vectors.
  static std::optional<Execution> of(const Elements& elements, const dnnl::primitive& primitive,
                                     const char* implementation,
                                     const dnnl::memory::desc& scratchpad);

  template <class PrimitiveDesc, class Primitive>
  static std::optional<Execution> of(const Elements& elements, const PrimitiveDesc& desc) {
    return of(elements, Primitive(desc), desc.impl_info_str(), desc.scratchpad_desc());
  }

  // `argument` is a DNNL_ARG_*; `given` the layout of the op's data, `chosen` the primitive's.
  void bind_input(int argument, std::uint32_t index, const dnnl::memory::desc& given,
                  const dnnl::memory::desc& chosen);
  void bind_output(int argument, std::uint32_t index, const dnnl::memory::desc& given,
                   const dnnl::memory::desc& chosen);
  // As bind_input(), for an input that may be a constant: where the primitive does not take it as
  // it is, it is packed so that nothing is converted or reordered in a launch.
  void bind_weights(int argument, std::uint32_t index, const sdk::Arg& input,
                    const dnnl::memory::desc& given, const dnnl::memory::desc& chosen);

  [[nodiscard]] const Elements& elements() const { return elements_; }

  // An input that launches get as the primitive likes it.
  struct Packed {
    std::uint32_t index;
    Elements elements;
    dnnl::memory::desc given;  // the op's, of elements that are widened already
    dnnl::memory::desc chosen;
  };
  [[nodiscard]] const std::vector<Packed>& packed() const { return packed_; }

  [[nodiscard]] std::uint64_t workspace_bytes() const { return workspace_bytes_; }
  // What the primitive and its reorders keep, about: oneDNN does not tell.
  [[nodiscard]] std::uint64_t memory_bytes() const;
  void run(const sdk::Launch& launch) const;

 private:
  struct Binding {
    int argument;
    std::uint32_t index;
    bool is_output;
    dnnl::memory::desc given;
    dnnl::memory::desc chosen;
    std::uint64_t offset = 0;  // of the reordered data in the workspace
    std::optional<dnnl::reorder> reorder = std::nullopt;
  };

  Execution(const Elements& elements, dnnl::primitive primitive,
            const dnnl::memory::desc& scratchpad);
  void bind(Binding binding);
  std::uint64_t reserve(const dnnl::memory::desc& desc);

  Elements elements_;
  dnnl::primitive primitive_;
  dnnl::stream stream_;
  dnnl::memory::desc scratchpad_;
  std::uint64_t workspace_bytes_ = 0;
  std::uint64_t scratchpad_offset_;  // initialised after what it adds to
  int threads_;                      // that scratchpad and work were laid out for
  std::vector<Binding> bindings_;
  std::vector<Packed> packed_;
};

}  // namespace loci::cpu::onednn
