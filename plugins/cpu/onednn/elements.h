// An op has elements of one dtype, which a primitive gets as they are or converted.
#pragma once

#include <cstdint>
#include <loci/plugin/kernel.hpp>
#include <oneapi/dnnl/dnnl.hpp>
#include <string>

namespace loci::cpu::onednn {

// float32 as it is; 16-bit formats as they are where the processor has instructions that multiply
// them, or as float32: oneDNN emulates bfloat16 at a third of the speed of float32, and has no
// float16 for processors (2.6, AVX-512).
class Elements {
 public:
  // Gives the elements as they are. bfloat16 and float32 only.
  static Elements native(loci_dtype dtype);
  // Gives the elements as float32.
  static Elements widened(loci_dtype dtype);

  [[nodiscard]] loci_dtype stored() const { return stored_; }
  [[nodiscard]] bool are_widened() const { return type_ == Type::f32 && stored_ != LOCI_DTYPE_F32; }

  // "bf16", or "f16 as f32" where they are widened.
  [[nodiscard]] std::string text() const;

  // Bytes of what the primitive gets.
  [[nodiscard]] std::int64_t size() const {
    return static_cast<std::int64_t>(dnnl::memory::data_type_size(type_));
  }

  // Descriptions of what the primitive gets. Last dimension fastest, or with the given strides.
  [[nodiscard]] dnnl::memory::desc dense(const dnnl::memory::dims& dims) const;
  [[nodiscard]] dnnl::memory::desc strided(const dnnl::memory::dims& dims,
                                           const dnnl::memory::dims& strides) const;
  // Describes these extents in the layout that the primitive likes best.
  [[nodiscard]] dnnl::memory::desc any_layout(const dnnl::memory::dims& dims) const;

 private:
  using Type = dnnl::memory::data_type;
  Elements(loci_dtype stored, Type type) : stored_(stored), type_(type) {}

  loci_dtype stored_;
  Type type_;
};

// Returns true if native(dtype) has primitives whose instructions are the processor's.
bool has_native(loci_dtype dtype);

}  // namespace loci::cpu::onednn
