// Building the blocks of control flow.
//
// While a branch runs the user's function, operators go into a program of their own. What the
// function uses from outside comes in as an argument, through every block in between.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "framework/program/builder.h"
#include "framework/program/program_impl.h"

namespace loci::program {

// A block that is complete, before an operator owns it.
struct ClosedBlock {
  Block block;                  // its arguments: the values, then what it captured
  std::vector<VarId> captured;  // outside
};

// One block, from its first operator to its last. Of one thread; the innermost ends first.
class BlockBuilder {
 public:
  // A block of an operator of `outer`.
  explicit BlockBuilder(std::shared_ptr<ProgramImpl> outer);
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
  // With these results. To be called last. With `copies_state`, a result that is state is returned
  // as a copy.
  ClosedBlock close(const std::vector<Variable>& results, bool copies_state);

 private:
  VarId add_local(VarDesc desc);

  std::shared_ptr<ProgramImpl> outer_;
  BlockBuilder* around_;  // what builds `outer_`; null for a program
  std::shared_ptr<ProgramImpl> program_;
  std::size_t guard_depth_;
  std::vector<VarId> captured_;  // outside, in the order of the arguments
  std::unordered_map<VarId, VarId> locals_;
};

// The blocks of one operator, which get one list of arguments.
class BlockSet {
 public:
  explicit BlockSet(std::shared_ptr<ProgramImpl> outer) : outer_(std::move(outer)) {}

  // One that was closed, with so many values.
  void add(ClosedBlock closed, std::size_t value_count);

  using Fill = std::function<std::vector<Variable>(const std::vector<Variable>& values)>;
  // Builds one block: `fill` gets the block's variables for the values and returns its results.
  void add(const std::vector<VarId>& values, bool copies_state, const Fill& fill);

  // Variables outside that the blocks use.
  [[nodiscard]] const std::vector<VarId>& captures() const { return captures_; }
  // With the same captures as arguments everywhere. To be called last.
  std::vector<std::shared_ptr<const Block>> take();

 private:
  void give_argument(ClosedBlock& part, std::size_t position, VarId outside);

  std::shared_ptr<ProgramImpl> outer_;
  std::vector<ClosedBlock> parts_;
  std::vector<VarId> captures_;
  std::size_t value_count_ = 0;
};

// Gives a random operator of a block the state of its program, which is outside of all its blocks.
void share_random_state(BlockBuilder& block, OperatorSpec* spec);

}  // namespace loci::program
