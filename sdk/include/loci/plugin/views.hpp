// Arguments: as a kernel sees them before it is launched (Arg, OpDesc), and in a launch (Launch).
#pragma once

#include <loci/abi/kernels.h>

#include <cstddef>
#include <cstdint>
#include <loci/plugin/attributes.hpp>
#include <loci/plugin/dims.hpp>
#include <loci/plugin/error.hpp>
#include <string_view>

namespace loci::sdk {

// An argument before launch. Valid during the call that hands it over.
class Arg {
 public:
  explicit Arg(const loci_arg& arg) : arg_(&arg) {}

  [[nodiscard]] bool present() const { return arg_->dtype != LOCI_DTYPE_NONE; }
  [[nodiscard]] loci_dtype dtype() const { return arg_->dtype; }
  [[nodiscard]] int rank() const { return arg_->rank; }
  // Returns true if the extents are known: always in prepare, unless the kernel is shape-agnostic.
  [[nodiscard]] bool has_dims() const { return arg_->dims != nullptr || arg_->rank == 0; }
  [[nodiscard]] Dims dims() const { return {arg_->dims, static_cast<std::size_t>(arg_->rank)}; }
  [[nodiscard]] std::int64_t dim(int axis) const { return arg_->dims[axis]; }
  [[nodiscard]] std::int64_t numel() const { return numel_of(dims()); }
  [[nodiscard]] bool is_constant() const { return (arg_->flags & LOCI_ARG_CONSTANT) != 0; }
  [[nodiscard]] std::uint32_t layout() const { return arg_->layout; }
  // Returns true if prepare may choose the layout that launches get; without a choice it is plain.
  [[nodiscard]] bool takes_any_layout() const { return arg_->layout == LOCI_LAYOUT_ANY; }
  [[nodiscard]] std::uint32_t residence() const { return arg_->residence; }

 private:
  const loci_arg* arg_;
};

// An operator with its arguments. Slots are numbered in the order of the op's schema; each has one
// argument (absent, if optional and not given) unless it is variadic.
class OpDesc {
 public:
  explicit OpDesc(const loci_op_desc& op) : op_(&op) {}

  [[nodiscard]] std::string_view name() const { return to_view(op_->op); }
  [[nodiscard]] std::uint32_t version() const { return op_->version; }
  [[nodiscard]] AttributeReader attributes() const { return {name(), op_->attrs, op_->attr_count}; }
  // The cost of one launch, by the op's schema: floating-point operations, and bytes read and
  // written. Known in create and prepare, unless the kernel is shape-agnostic; 0 elsewhere.
  [[nodiscard]] std::uint64_t flops() const { return op_->flops; }
  [[nodiscard]] std::uint64_t bytes() const { return op_->bytes; }

  // The flat index of a slot's argument, which a launch counts by.
  [[nodiscard]] std::uint32_t input_index(std::uint32_t slot, std::uint32_t index = 0) const {
    return op_->input_slots[slot] + index;
  }
  [[nodiscard]] std::uint32_t output_index(std::uint32_t slot, std::uint32_t index = 0) const {
    return op_->output_slots[slot] + index;
  }
  [[nodiscard]] std::uint32_t input_count(std::uint32_t slot) const {
    return op_->input_slots[slot + 1] - op_->input_slots[slot];
  }
  [[nodiscard]] std::uint32_t output_count(std::uint32_t slot) const {
    return op_->output_slots[slot + 1] - op_->output_slots[slot];
  }
  [[nodiscard]] Arg input(std::uint32_t slot, std::uint32_t index = 0) const {
    return Arg(op_->inputs[input_index(slot, index)]);
  }
  [[nodiscard]] Arg output(std::uint32_t slot, std::uint32_t index = 0) const {
    return Arg(op_->outputs[output_index(slot, index)]);
  }
  [[nodiscard]] const loci_op_desc& raw() const { return *op_; }
  [[nodiscard]] bool has_input(std::uint32_t slot) const {
    return slot < op_->input_slot_count && input_count(slot) > 0 && input(slot).present();
  }

 private:
  const loci_op_desc* op_;
};

// The arguments of one launch, by flat index. T is the element type that prepare found; nothing is
// checked here. Data is NULL for absent, empty and metadata-only arguments.
class Launch {
 public:
  explicit Launch(const loci_launch& launch) : launch_(&launch) {}

  template <class T>
  [[nodiscard]] const T* input(std::uint32_t index) const {
    return static_cast<const T*>(launch_->inputs[index]->data);
  }
  template <class T>
  [[nodiscard]] T* output(std::uint32_t index) const {
    return static_cast<T*>(launch_->outputs[index]->data);
  }
  [[nodiscard]] const loci_view& input_view(std::uint32_t index) const {
    return *launch_->inputs[index];
  }
  [[nodiscard]] const loci_view& output_view(std::uint32_t index) const {
    return *launch_->outputs[index];
  }

  // Scratch memory asked for with Prepare::set_workspace, 64-byte aligned; content undefined.
  template <class T>
  [[nodiscard]] T* workspace(std::uint64_t byte_offset = 0) const {
    return reinterpret_cast<T*>(static_cast<std::byte*>(launch_->workspace) + byte_offset);
  }
  // Kept per frame between launches, zero before the first.
  template <class T>
  [[nodiscard]] T* state() const {
    return static_cast<T*>(launch_->state);
  }
  [[nodiscard]] loci_stream* stream() const { return launch_->stream; }
  [[nodiscard]] std::uint64_t correlation() const { return launch_->correlation; }
  [[nodiscard]] const loci_launch& raw() const { return *launch_; }

 private:
  const loci_launch* launch_;
};

}  // namespace loci::sdk
