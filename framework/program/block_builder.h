// Building the blocks of control flow.
//
// While a branch runs the user's function, operators go into a program of their own. What the
// function uses from outside comes in as an argument, through every block in between.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "framework/program/builder.h"
#include "framework/program/program_impl.h"

namespace loci::program {

// A block that is complete, before an operator owns it.
struct ClosedBlock {
  Block block;                  // its arguments: the values, then what it captured
  std::vector<VarId> captured;  // outside
  VarId iteration = kNoVar;     // what it takes besides, behind the values: see BlockDraws
};

// The numbers that random operators of a block draw. They come from a state that random_fold_in
// makes of that outside, so that what is drawn outside does not hang on what runs in the block, and
// their offsets count from 0. The blocks of a loop take its iteration as a value of their own, if
// any of them draws.
struct BlockDraws {
  std::int64_t offset = 0;  // of the operator that owns the block, among the draws outside
  std::int64_t first = 0;   // of the block's first draw
  bool counts = false;      // of a loop: in each iteration it draws others
};

// One block, from its first operator to its last. Of one thread; the innermost ends first.
class BlockBuilder {
 public:
  // A block of an operator of `outer`. Without draws, its random operators have the state and the
  // offsets of the program.
  explicit BlockBuilder(std::shared_ptr<ProgramImpl> outer, std::optional<BlockDraws> draws = {});
  ~BlockBuilder();
  BlockBuilder(const BlockBuilder&) = delete;
  BlockBuilder& operator=(const BlockBuilder&) = delete;

  // That into which this thread's operators go; null unless a branch is being built. A ProgramGuard
  // within a branch hides it.
  static BlockBuilder* active();

  [[nodiscard]] const std::shared_ptr<ProgramImpl>& program() const { return program_; }
  // The program in which the outermost block will be.
  [[nodiscard]] const std::shared_ptr<ProgramImpl>& root() const;
  // A value of a loop, to be added before anything is captured.
  Variable add_argument(const VarDesc& outside);
  // The variable of this block for one of this block or of one around it. Throws
  // Error(kInvalidArgument) for any other.
  VarId local(const Variable& variable);
  // From which its random operators draw.
  VarId random_state();
  // Returns true if it takes its iteration so far.
  [[nodiscard]] bool takes_iteration() const { return iteration_ != kNoVar; }
  // With these results. To be called last. With `copies_state`, a result that is state is returned
  // as a copy.
  ClosedBlock close(const std::vector<Variable>& results, bool copies_state);
  // The number of the next iteration, to be one of the results.
  Variable next_iteration();

 private:
  VarId add_local(VarDesc desc);
  VarId iteration();
  VarId own_random_state();

  std::shared_ptr<ProgramImpl> outer_;
  BlockBuilder* around_;  // what builds `outer_`; null for a program
  std::shared_ptr<ProgramImpl> program_;
  std::size_t guard_depth_;
  std::vector<VarId> captured_;  // outside, in the order of the arguments
  std::unordered_map<VarId, VarId> locals_;
  std::optional<BlockDraws> draws_;
  VarId state_ = kNoVar;      // once random_state() made it
  VarId iteration_ = kNoVar;  // likewise
};

// The blocks of one operator, which get one list of arguments.
class BlockSet {
 public:
  // The last one of a loop's `loop_blocks` is the body; other operators have none.
  explicit BlockSet(std::shared_ptr<ProgramImpl> outer, std::optional<BlockDraws> draws = {},
                    std::size_t loop_blocks = 0)
      : outer_(std::move(outer)), draws_(draws), loop_blocks_(loop_blocks) {}

  // One that was closed, with so many values.
  void add(ClosedBlock closed, std::size_t value_count);

  using Fill = std::function<std::vector<Variable>(const std::vector<Variable>& values)>;
  // Builds one block: `fill` gets the block's variables for the values and returns its results.
  void add(const std::vector<VarId>& values, bool copies_state, const Fill& fill);
  // Builds one block with arguments like these; the first `value_count` of them are the values.
  void add(const std::vector<VarDesc>& arguments, std::size_t value_count, bool copies_state,
           const Fill& fill);

  // Variables outside that the blocks use.
  [[nodiscard]] const std::vector<VarId>& captures() const { return captures_; }
  // Returns true if the blocks take the iteration as one more value, which begins with 0.
  [[nodiscard]] bool takes_iteration() const;
  // With the same captures as arguments everywhere. To be called last.
  std::vector<std::shared_ptr<const Block>> take();

 private:
  void give_argument(ClosedBlock& part, std::size_t position, VarId outside);
  void give_iteration(ClosedBlock& part) const;

  std::shared_ptr<ProgramImpl> outer_;
  std::optional<BlockDraws> draws_;
  std::size_t loop_blocks_;
  std::vector<ClosedBlock> parts_;
  std::vector<VarId> captures_;
  std::size_t value_count_ = 0;     // with the iteration, once it is one
  std::size_t argument_count_ = 0;  // before what is captured
};

// The iteration of a loop, in and around its blocks.
VarDesc iteration_desc();

// Gives a random operator of a block the state that it draws from.
void share_random_state(BlockBuilder& block, OperatorSpec* spec);

}  // namespace loci::program
