// The rows, slices of dimension 0, of one operator, and what it does to them.
//
// Rows are what a batch consists of. Some inputs of an operator carry those of a batch: they have a
// row for each of its rows. All others hang on no row at all, and are the same however many there
// are. A rule (OpSchema::batch_rule) says whether row i of every output is, to the bit, a function
// of row i of the inputs that carry rows and of the others as a whole, and the same function for
// each number of rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "framework/ops/infer_context.h"

namespace loci::ops {

// The part of a batch that an argument carries.
enum class Carried : std::uint8_t {
  kNothing,
  kRows,
  kGivenRows,  // with the elements that were given: zeros where a batch is filled up with rows
};

// Arguments are by slot of the schema. Used by one thread.
class BatchContext {
 public:
  // `types` has the types of all inputs and outputs, and outlives this; `carrying` says by slot
  // what arguments carry.
  BatchContext(const InferContext& types, std::vector<std::vector<Carried>> carrying);

  [[nodiscard]] const InferContext& types() const { return types_; }
  [[nodiscard]] const Shape& shape(std::string_view slot, std::size_t index = 0) const {
    return types_.shape(slot, index);
  }
  [[nodiscard]] bool carries(std::string_view slot, std::size_t index = 0) const;
  [[nodiscard]] bool carries_any() const;
  // Returns true if the argument is an index in a row of zeros too, if there are `count` to choose
  // from: computed elements may be none, and what kernels refuse in one row fails all.
  [[nodiscard]] bool is_index(std::string_view slot, std::int64_t count) const;
  // Calls `visit` with the shape of each input that carries rows.
  template <class Visit>
  void for_each_carrying(Visit visit) const {
    for (std::size_t slot = 0; slot < carrying_.size(); ++slot) {
      const std::string_view name = types_.schema().inputs()[slot].name;
      for (std::size_t i = 0; i < carrying_[slot].size(); ++i) {
        if (carrying_[slot][i] != Carried::kNothing) visit(name, types_.shape(name, i));
      }
    }
  }

  // A rule calls it for an output that hangs on no row, such as the statistics of a normalisation
  // that only uses them.
  void leave_whole(std::string_view output);
  [[nodiscard]] bool is_whole(std::size_t output_slot) const { return whole_[output_slot]; }

 private:
  [[nodiscard]] Carried carried(std::string_view slot, std::size_t index) const;

  const InferContext& types_;
  std::vector<std::vector<Carried>> carrying_;
  std::vector<bool> whole_;
};

// Returns true if the operator keeps rows apart: its op has a rule, which says so, and the extents
// bear it out. Then all outputs carry rows, but for those that are whole. An operator without
// inputs keeps them apart if each row of what it makes is the same however many there are.
[[nodiscard]] bool is_batch_independent(BatchContext& ctx);

}  // namespace loci::ops
