// The steps of a fused_elementwise as a program on blocks of the output's elements.
#pragma once

#include <array>
#include <cstdint>
#include <loci/plugin/broadcast.hpp>
#include <loci/plugin/fused_elementwise.hpp>
#include <loci/plugin/kernel.hpp>
#include <optional>
#include <set>
#include <vector>

#include "plugins/kernels/block_step.h"

namespace loci::kernels {

// Immutable once made; any number of threads may run() at once. A launch allocates nothing.
//
// A block runs through all steps before the next one begins. Where a step reads and writes is known
// beforehand: dense inputs and outputs where they lie; an input of one element there, if the op
// broadcasts it; other inputs spread over a block of scratch memory; and results that no output
// takes in such a block too, which later steps use again.
//
// Output 0 may lie in the memory of an input of as many bytes. Where that input is dense, each
// block is read before it is written: a result that is not the last to read inputs waits in scratch
// memory. Another input of so many bytes is first copied to the workspace.
class BlockProgram {
 public:
  // Prepares for the operator of `prepare`. Throws as BlockStep does.
  BlockProgram(sdk::Prepare& prepare, const sdk::FusedExpression& expression);

  void run(const sdk::Launch& launch) const;

  [[nodiscard]] std::uint64_t workspace_bytes() const { return workspace_bytes_; }
  // That it keeps, about.
  [[nodiscard]] std::uint64_t memory_bytes() const;

 private:
  static constexpr std::size_t kMostValues = sdk::kMostFusedInputs + sdk::kMostFusedSteps;
  static constexpr std::size_t kMostOperands = 3 * sdk::kMostFusedSteps;
  // The size of one thread's scratch memory.
  static constexpr std::int64_t kScratchBytes = 65536;

  enum class Home : std::uint8_t {
    kInput,   // a dense input
    kSingle,  // an input of one element
    kSpread,  // an input that is spread over the block
    kOutput,
    kScratch
  };

  struct Value {
    loci_dtype dtype = LOCI_DTYPE_NONE;
    std::int64_t bytes = 0;  // of an element
    Home home = Home::kScratch;
    std::uint32_t argument = 0;   // the input or output
    std::int64_t offset = 0;      // in the scratch memory of a block of one element
    std::int64_t workspace = -1;  // where a copy of the input lies; -1: there is none
    std::size_t last_read = 0;    // the last step that reads it
    sdk::BroadcastPlanOf<1> spread;
  };

  struct Step {
    std::uint32_t operands;                  // how many it has
    std::uint32_t result;                    // a value
    std::optional<sdk::PreparedPart> whole;  // for a block; none if there is only a shorter one
    std::optional<sdk::PreparedPart> rest;   // for the last block; none if it is not shorter
  };

  // A result that waits in scratch memory until its block is done.
  struct LateOutput {
    std::uint32_t value;
    std::uint32_t output;
  };

  class Block;

  void describe_inputs(const sdk::OpDesc& op, const sdk::FusedExpression& expression);
  [[nodiscard]] bool can_stay_single(std::uint32_t value,
                                     const sdk::FusedExpression& expression) const;
  void describe_results(const sdk::FusedExpression& expression);
  void place_result(const sdk::FusedExpression& expression, std::size_t output);
  [[nodiscard]] std::vector<BlockStep> make_steps(const sdk::FusedExpression& expression) const;
  void place_scratch(const sdk::FusedExpression& expression, const std::vector<BlockStep>& steps);
  [[nodiscard]] std::set<std::uint32_t> last_reads(const sdk::FusedStep& step,
                                                   std::size_t number) const;
  void find_streams();
  void choose_block(const std::vector<BlockStep>& steps);
  void prepare_steps(sdk::Prepare& prepare, const std::vector<BlockStep>& steps);
  void copy_inputs(const sdk::Launch& launch) const;

  const sdk::Host* host_;
  std::uint32_t inputs_;
  std::int64_t count_;  // elements of an output
  std::int64_t block_ = 1;
  std::int64_t grain_ = 1;          // blocks
  std::int64_t scratch_bytes_ = 0;  // for each element of a block
  std::uint64_t workspace_bytes_ = 0;
  std::vector<Value> values_;
  std::vector<Step> steps_;
  std::vector<std::uint32_t> operands_;  // values, of all steps
  std::vector<std::uint32_t> streams_;   // dense inputs and outputs: values
  std::int64_t stream_bytes_ = 0;        // of an element of each
  bool is_from_memory_ = false;          // they are more than a second cache holds
  std::vector<std::uint32_t> spread_;    // inputs that are spread: values
  std::vector<LateOutput> late_;
};

}  // namespace loci::kernels
