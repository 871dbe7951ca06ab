// Notes of what passes made of the sizes that they met, so that a program which they rewrote for
// some sizes serves others for which they would do the same.
//
// That two extents, or two shapes, are equal needs no note, nor that an extent is 0, 1 or unknown:
// types_if_alike() sees to all that. Whatever else a pass does with an extent it notes here: it
// becomes part of the program, or what is computed from it does; a number of elements is held
// against a limit.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "framework/program/program_impl.h"

namespace loci::passes {

// Written while passes run over one block; read by any thread once they have.
class SizeNotes {
 public:
  // The rewritten program is right for this shape of the variable alone, or for this extent of it.
  void only_for(program::VarId id) { fixed_.push_back({id, kAllAxes}); }
  void only_for_extent(program::VarId id, int axis) { fixed_.push_back({id, axis}); }
  // Returns true if a shape, the variable's, has fewer elements than that, and notes the answer.
  bool is_below(program::VarId id, const Shape& shape, std::int64_t limit);
  // Notes how constant folding infers types, as all passes that follow have their types from it.
  void note_types(const program::Block& block);

  // Returns the types of variables, but of those that passes added, if the passes do with data of
  // these shapes what they did; else nothing. The program is the same, and so are the dtypes and
  // ranks of what is fed.
  using Shapes = std::vector<std::pair<program::VarId, Shape>>;
  using Types = std::vector<ops::TensorType>;
  [[nodiscard]] std::optional<Types> types_if_alike(const Shapes& data) const;

  // Returns true if it could serve any others.
  [[nodiscard]] bool is_complete() const { return is_complete_; }
  // The number of operators that it keeps, for who keeps many.
  [[nodiscard]] std::size_t operator_count() const { return ops_.size(); }

 private:
  static constexpr int kAllAxes = -1;
  struct Fixed {
    program::VarId id;
    int axis;
  };
  struct Comparison {
    program::VarId id;
    std::int64_t limit;
    bool is_below;
  };

  [[nodiscard]] Types types_for(const Shapes& data) const;
  [[nodiscard]] bool is_same(const Fixed& fixed, const Types& types) const;
  [[nodiscard]] static bool is_same(const Comparison& made, const Types& types);
  [[nodiscard]] bool are_alike(const Types& types) const;

  std::vector<Fixed> fixed_;
  std::vector<Comparison> comparisons_;
  bool is_complete_ = false;            // the types are there, and can be found for other sizes
  std::vector<program::Operator> ops_;  // by which they are inferred, in order
  Types types_;                         // by variable
  std::vector<bool> persistable_;       // likewise: has its declared type
};

// These two do the same where `notes` is null, as nobody takes notes.
inline void note_only_for(SizeNotes* notes, program::VarId id) {
  if (notes != nullptr) notes->only_for(id);
}
inline bool is_below(SizeNotes* notes, program::VarId id, const Shape& shape, std::int64_t limit) {
  return notes != nullptr ? notes->is_below(id, shape, limit) : shape.numel() < limit;
}

}  // namespace loci::passes
