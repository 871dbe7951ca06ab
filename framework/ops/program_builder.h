// The program builder of the C ABI (loci/abi/builder.h) over an emitter.
#pragma once

#include <loci/abi/builder.h>

#include <cstdint>
#include <vector>

#include "framework/ops/grad_context.h"

namespace loci::ops {

[[nodiscard]] loci_type to_abi(const TensorType& type);
// Throws Error(kInvalidArgument), "is of rank 9", for what is no type.
[[nodiscard]] TensorType type_from_abi(const loci_type& type);

// Hands out ids for values and takes them back. Used by one thread; what it emits outlives it.
class ProgramBuilder {
 public:
  explicit ProgramBuilder(Emitter& emitter) : emitter_(emitter) {}

  // LOCI_NO_VALUE for an undefined value.
  loci_value id(Value value);
  // Undefined for LOCI_NO_VALUE. Throws Error(kInvalidArgument) "[builder] ..." for an id that it
  // never gave.
  [[nodiscard]] Value value(loci_value id) const;

  [[nodiscard]] static const loci_builder_api& api();
  [[nodiscard]] loci_builder* handle() { return reinterpret_cast<loci_builder*>(this); }

  // The functions of the table. Throw Error(kInvalidArgument).
  const std::vector<loci_value>& append(const loci_call& call);
  loci_value constant(const loci_view& elements);
  [[nodiscard]] TensorType type_of(loci_value id) const;

 private:
  [[nodiscard]] OpCall<Value> read(const loci_call& call) const;
  [[nodiscard]] OpCall<Value>::Slot read_input(const OpSchema& schema, const loci_call_input& input,
                                               std::size_t position) const;

  Emitter& emitter_;
  std::vector<Value> values_;         // by id
  std::vector<loci_value> appended_;  // the outputs of the last call
};

}  // namespace loci::ops
