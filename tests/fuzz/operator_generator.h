// Operators at random.
#pragma once

#include <string>
#include <vector>

#include "framework/ops/op_registry.h"
#include "tests/fuzz/dice.h"
#include "tests/fuzz/operator_case.h"
#include "tests/fuzz/random_attribute.h"

namespace loci::fuzz {

// The cases that it makes follow from the seed and the calls alone.
class OperatorGenerator {
 public:
  OperatorGenerator(ops::OpRegistry& registry, std::uint64_t seed);

  // Makes a case of nothing but the schema.
  OperatorCase fresh(const ops::OpSchema& schema);
  // One to three changes: a shape, a dtype, the number of arguments, an attribute.
  OperatorCase mutated(OperatorCase original);

  Dice& dice() { return dice_; }

 private:
  DType dtype_for(const ops::InputSlot& slot);
  std::size_t count_for(const ops::InputSlot& slot);
  void change(OperatorCase& subject);
  void change_input(OperatorCase& subject);
  void change_attribute(OperatorCase& subject);

  Dice dice_;
  RandomAttribute attribute_;
  DType common_ = kFloat32;  // what most arguments of the current case have
};

}  // namespace loci::fuzz
