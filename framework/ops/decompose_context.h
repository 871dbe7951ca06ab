// How an op is written in other ops, for devices that have no kernel of it.
#pragma once

#include <cstddef>
#include <loci/attribute.hpp>
#include <string_view>
#include <variant>
#include <vector>

#include "framework/ops/grad_context.h"
#include "framework/ops/infer_context.h"
#include "framework/ops/op_schema.h"

namespace loci::ops {

// The values, or the types, of an op's arguments by slot; an absent optional one has none.
using ValueSlots = std::vector<std::vector<Value>>;
using TypeSlots = std::vector<std::vector<TensorType>>;

// One operator seen from its decomposition. Extents are known. Used by one thread.
class DecomposeContext {
 public:
  // `attributes` are complete; `outputs` is what inference says of the operator. All three are
  // referred to.
  DecomposeContext(const OpSchema& schema, const Attributes& attributes, const ValueSlots& inputs,
                   const TypeSlots& outputs, Emitter& emitter);

  [[nodiscard]] const OpSchema& schema() const { return schema_; }
  [[nodiscard]] const Attributes& attributes() const { return attributes_; }
  template <class T>
  [[nodiscard]] const T& attr(std::string_view name) const {
    return std::get<T>(attributes_.find(std::string(name))->second);
  }
  [[nodiscard]] std::size_t input_count(std::string_view slot) const;
  // Undefined for an empty optional slot.
  [[nodiscard]] Value input(std::string_view slot, std::size_t index = 0) const;
  [[nodiscard]] static TensorType type(Value value) { return value.emitter->type(value); }
  // The type that inference says of an output that is there.
  [[nodiscard]] const TensorType& output_type(std::string_view slot, std::size_t index = 0) const;
  // The number of outputs of the slot; 0 if an optional one is absent.
  [[nodiscard]] std::size_t output_count(std::string_view slot) const;
  void set_output(std::string_view slot, Value value, std::size_t index = 0);
  [[nodiscard]] Emitter& emitter() const { return emitter_; }

  // Has the schema's decomposition write the operator. False where it sets no output: it has none
  // for these arguments. Throws Error(kInternal) where it sets some only, or one of another type
  // than inference says, and what it throws itself.
  [[nodiscard]] bool run();
  // The results by slot; all are defined once run() has given true.
  [[nodiscard]] const ValueSlots& outputs() const { return outputs_; }

 private:
  void check_outputs() const;

  const OpSchema& schema_;
  const Attributes& attributes_;
  const ValueSlots& inputs_;
  const TypeSlots& types_;
  Emitter& emitter_;
  ValueSlots outputs_;
};

}  // namespace loci::ops
