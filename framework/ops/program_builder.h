// The program builder of the C ABI (loci/abi/builder.h) over an emitter.
//
// Here and not with program, because a gradient of a plugin's op gets it, and program stands on
// ops. What only a whole program has is refused here; program/table_builder.h has it.
#pragma once

#include <loci/abi/builder.h>

#include <cstdint>
#include <string>
#include <vector>

#include "framework/ops/grad_context.h"

namespace loci::ops {

[[nodiscard]] loci_type to_abi(const TensorType& type);
// Throws Error(kInvalidArgument), "is of rank 9", for what is no type.
[[nodiscard]] TensorType type_from_abi(const loci_type& type);

// A call of the C ABI, read.
struct BuilderCall {
  OpCall<Value> op;
  std::string name;  // of the operator; empty: one is made
  std::vector<std::string> output_names;
  std::vector<loci_block> blocks;
};

// Hands out ids for values and takes them back. Used by one thread; what it emits outlives it.
class ProgramBuilder {
 public:
  // Derived builders may have an emitter that begins to exist after this.
  explicit ProgramBuilder(Emitter& emitter) : emitter_(emitter) {}
  virtual ~ProgramBuilder() = default;
  ProgramBuilder(const ProgramBuilder&) = delete;
  ProgramBuilder& operator=(const ProgramBuilder&) = delete;

  // LOCI_NO_VALUE for an undefined value.
  loci_value id(Value value);
  // Undefined for LOCI_NO_VALUE. Throws Error(kInvalidArgument) "[builder] ..." for an id that it
  // never gave.
  [[nodiscard]] Value value(loci_value id) const;

  [[nodiscard]] static const loci_builder_api& api();
  [[nodiscard]] loci_builder* handle() { return reinterpret_cast<loci_builder*>(this); }

  // The functions of the table. Throw Error(kInvalidArgument), and kUnsupported for what is not for
  // this builder.
  const std::vector<loci_value>& append(const loci_call& call);
  loci_value constant(const loci_view& elements);
  [[nodiscard]] TensorType type_of(loci_value id) const;
  virtual loci_value input(const std::string& name, const TensorType& type);
  // Takes the memory over, even if it throws.
  virtual loci_value parameter(const loci_parameter& parameter);
  virtual void output(loci_value value);
  virtual const std::vector<loci_value>& block_begin(const std::vector<loci_value>& values);
  virtual loci_block block_end(const std::vector<loci_value>& results);

 protected:
  // The outputs of the operator, flat.
  virtual std::vector<Value> emit(BuilderCall call);
  [[nodiscard]] std::vector<Value> values(const std::vector<loci_value>& ids) const;

 private:
  [[nodiscard]] BuilderCall read(const loci_call& call) const;
  [[nodiscard]] OpCall<Value>::Slot read_input(const OpSchema& schema, const loci_call_input& input,
                                               std::size_t position) const;

  Emitter& emitter_;
  std::vector<Value> values_;         // by id
  std::vector<loci_value> appended_;  // the outputs of the last call
};

}  // namespace loci::ops
