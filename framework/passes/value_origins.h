// The operators that made the values of a block so far, and which of the values will not change.
#pragma once

#include <vector>

#include "framework/passes/size_notes.h"
#include "framework/program/program_impl.h"

namespace loci::passes {

// Fed with the operators of a block in order.
class ValueOrigins {
 public:
  explicit ValueOrigins(const program::Block& block, SizeNotes* sizes = nullptr);

  // The operator is the next one, and stays where it lies in memory.
  void note(const program::Operator& op);

  // Null if the variable is state, or was not computed so far.
  [[nodiscard]] const program::Operator* maker(program::VarId id) const;
  // Returns true if the variable has one value in the block, and has it by now: state that is
  // updated anywhere in the block has several.
  [[nodiscard]] bool is_steady(program::VarId id) const;
  // Returns true if any operator of the block reads it.
  [[nodiscard]] bool is_read(program::VarId id) const { return is_read_[at(id)]; }
  // The guard under which the value came about; empty for what the block is given.
  [[nodiscard]] const std::string& guard(program::VarId id) const;
  [[nodiscard]] const program::VarDesc& var(program::VarId id) const { return block_.var(id); }
  [[nodiscard]] const ops::TensorType& type(program::VarId id) const { return var(id).type; }
  // The type of a variable whose extents become part of the program.
  [[nodiscard]] const ops::TensorType& written_type(program::VarId id) const {
    note_only_for(sizes_, id);
    return type(id);
  }
  // Returns true if both have one dtype and one shape that is known.
  [[nodiscard]] bool have_one_type(program::VarId a, program::VarId b) const;

 private:
  static std::size_t at(program::VarId id) { return static_cast<std::size_t>(id); }

  const program::Block& block_;
  SizeNotes* sizes_;
  std::vector<const program::Operator*> makers_;  // by variable
  std::vector<int> writes_;                       // by variable: how many operators write it
  std::vector<bool> is_read_;                     // by variable
};

}  // namespace loci::passes
