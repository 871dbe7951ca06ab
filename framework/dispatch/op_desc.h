// An operator as kernels see it: loci_op_desc with the storage behind it.
#pragma once

#include <loci/abi/kernels.h>

#include <cstdint>
#include <loci/attribute.hpp>
#include <loci/shape.hpp>
#include <string>
#include <vector>

#include "framework/core/abi/attributes.h"
#include "framework/ops/infer_context.h"
#include "framework/ops/op_schema.h"

namespace loci::dispatch {

// One argument; dtype kNone stands for an absent optional one.
struct ArgumentType {
  DType dtype = DType::kNone;
  Shape shape;
  std::uint32_t residence = LOCI_RESIDENCE_DEVICE;
  // An input whose elements stay the same while the kernel lives, and that is there in any layout
  // the kernel likes.
  bool is_constant = false;
  // The layout of what is no constant: an interned one, or LOCI_LAYOUT_ANY for an output whose
  // layout the kernel may choose.
  std::uint32_t layout = LOCI_LAYOUT_PLAIN;
};

// Returns the residence in the form that kernels see.
inline std::uint32_t abi_residence(ops::Residence residence) {
  if (residence == ops::Residence::kMetadata) return LOCI_RESIDENCE_METADATA;
  return residence == ops::Residence::kHost ? LOCI_RESIDENCE_HOST : LOCI_RESIDENCE_DEVICE;
}

// Arguments by slot of the schema. A variadic slot may be empty; an absent optional slot has no
// argument here and one of dtype kNone in the ABI form.
using ArgumentSlots = std::vector<std::vector<ArgumentType>>;

// Owns everything that abi() points to, but for attributes that it holds by reference, and refers
// to the schema. Neither copied nor moved, as it points into itself.
class OpDesc {
 public:
  using Holds = core::AbiAttributes::Holds;

  OpDesc(const ops::OpSchema& schema, const Attributes& attributes, const ArgumentSlots& inputs,
         const ArgumentSlots& outputs, Holds holds = Holds::kCopies);
  OpDesc(const OpDesc&) = delete;
  OpDesc& operator=(const OpDesc&) = delete;

  // Without its cost.
  [[nodiscard]] const loci_op_desc& abi() const { return abi_; }
  // With what one launch costs by the schema: for those who prepare, as finding it takes a while.
  [[nodiscard]] loci_op_desc with_cost() const;
  // Returns true if there are outputs, all empty. No kernel is asked to do nothing: the other
  // extents of an empty tensor may be greater than any that it could count with.
  [[nodiscard]] bool writes_nothing() const;
  // Returns true if it draws random numbers from a state that holds an amount to add to its offset,
  // as in a captured graph.
  [[nodiscard]] bool draws_from_counted_state() const;
  [[nodiscard]] bool is_random() const { return schema_.is_random(); }
  // Bytes, equal for operators that one prepared kernel can serve; with `ranks_only`, whatever
  // their extents are.
  [[nodiscard]] std::string signature(bool ranks_only) const;
  // Equal for those of one name whose arguments have the same types, whatever the attributes are.
  [[nodiscard]] std::string form() const { return types(/*ranks_only=*/false); }

 private:
  struct Arguments {
    std::vector<Shape> shapes;
    std::vector<loci_arg> args;
    std::vector<std::uint32_t> slots;
  };
  template <class SchemaSlot>
  static void flatten(const std::vector<SchemaSlot>& schema_slots, const ArgumentSlots& from,
                      Arguments* to);

  // Returns types by slot, without the absent ones.
  static std::vector<std::vector<ops::TensorType>> types_of(const Arguments& arguments);
  static std::vector<std::vector<ops::InferArgument>> arguments_of(const Arguments& arguments);
  // With the name.
  [[nodiscard]] std::string types(bool ranks_only) const;

  const ops::OpSchema& schema_;
  core::AbiAttributes attributes_;
  Arguments inputs_;
  Arguments outputs_;
  loci_op_desc abi_{};
};

}  // namespace loci::dispatch
