#include "tools/cuda_double/ptx/flow_graph.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace loci::cuda_double {
namespace {

constexpr std::uint32_t kNone = 0xffffffff;

bool ends_block(const Instruction& instruction) {
  return instruction.control == Control::kBranch ||
         instruction.control == Control::kIndexedBranch ||
         instruction.control == Control::kReturn || instruction.control == Control::kExit;
}

// Blocks of instructions that are entered at the first alone, numbered in order; one more stands
// for the end.
class FlowGraph {
 public:
  explicit FlowGraph(const FunctionCode& function) : function_(function) {
    find_blocks();
    find_edges();
    order_blocks();
    find_dominators();
  }

  // The first instruction of the block that dominates all paths from this branch.
  [[nodiscard]] std::uint32_t meeting_point(std::uint32_t branch) const {
    const std::uint32_t block = dominators_[block_of_[branch]];
    return block == kNone || block == end_ ? kNoReconvergence : firsts_[block];
  }

 private:
  template <class Visit>
  void visit_targets(const Instruction& instruction, const Visit& visit) const {
    if (instruction.control == Control::kBranch) visit(instruction.target);
    if (instruction.control != Control::kIndexedBranch) return;
    for (const std::uint32_t target :
         *static_cast<const std::vector<std::uint32_t>*>(instruction.extra)) {
      visit(target);
    }
  }

  void find_blocks() {
    const auto size = static_cast<std::uint32_t>(function_.code.size());
    std::vector<bool> begins(size + 1, false);
    begins[0] = true;
    for (std::uint32_t i = 0; i < size; ++i) {
      visit_targets(function_.code[i], [&](std::uint32_t target) { begins[target] = true; });
      if (ends_block(function_.code[i])) begins[i + 1] = true;
    }
    block_of_.resize(size);
    for (std::uint32_t i = 0; i < size; ++i) {
      if (begins[i]) firsts_.push_back(i);
      block_of_[i] = static_cast<std::uint32_t>(firsts_.size()) - 1;
    }
    end_ = static_cast<std::uint32_t>(firsts_.size());
  }

  void find_edges() {
    successors_.resize(end_ + 1);
    predecessors_.resize(end_ + 1);
    for (std::uint32_t block = 0; block < end_; ++block) {
      const std::uint32_t next =
          block + 1 < end_ ? firsts_[block + 1] : static_cast<std::uint32_t>(block_of_.size());
      const Instruction& last = function_.code[next - 1];
      visit_targets(last, [&](std::uint32_t target) { connect(block, block_of_[target]); });
      const bool leaves = last.control == Control::kReturn || last.control == Control::kExit;
      if (leaves) connect(block, end_);
      const bool is_unguarded = last.guard == kNoRegister;
      if (!ends_block(last) || (!is_unguarded && block + 1 < end_)) connect(block, block + 1);
    }
  }

  void connect(std::uint32_t from, std::uint32_t to) {
    if (std::count(successors_[from].begin(), successors_[from].end(), to) > 0) return;
    successors_[from].push_back(to);
    predecessors_[to].push_back(from);
  }

  // Reverse postorder of the reversed graph, from the end on. Blocks that never end, such as an
  // endless loop, are in no order and meet nowhere.
  void order_blocks() {
    numbers_.assign(end_ + 1, kNone);
    std::vector<bool> seen(end_ + 1, false);
    std::vector<std::pair<std::uint32_t, std::size_t>> stack{{end_, 0}};
    seen[end_] = true;
    while (!stack.empty()) {
      auto& [block, next] = stack.back();
      if (next < predecessors_[block].size()) {
        const std::uint32_t before = predecessors_[block][next++];
        if (!seen[before]) {
          seen[before] = true;
          stack.emplace_back(before, 0);
        }
      } else {
        order_.push_back(block);
        stack.pop_back();
      }
    }
    std::reverse(order_.begin(), order_.end());
    for (std::uint32_t i = 0; i < order_.size(); ++i) numbers_[order_[i]] = i;
  }

  // Cooper, Harvey and Kennedy, "A simple, fast dominance algorithm", on the reversed graph.
  void find_dominators() {
    dominators_.assign(end_ + 1, kNone);
    dominators_[end_] = end_;
    for (bool changed = true; changed;) {
      changed = false;
      for (const std::uint32_t block : order_) {
        if (block == end_) continue;
        std::uint32_t common = kNone;
        for (const std::uint32_t after : successors_[block]) {
          if (dominators_[after] == kNone) continue;
          common = common == kNone ? after : meet(after, common);
        }
        if (dominators_[block] != common) {
          dominators_[block] = common;
          changed = true;
        }
      }
    }
  }

  [[nodiscard]] std::uint32_t meet(std::uint32_t a, std::uint32_t b) const {
    while (a != b) {
      while (numbers_[a] > numbers_[b]) a = dominators_[a];
      while (numbers_[b] > numbers_[a]) b = dominators_[b];
    }
    return a;
  }

  const FunctionCode& function_;
  std::vector<std::uint32_t> firsts_;
  std::vector<std::uint32_t> block_of_;
  std::uint32_t end_ = 0;
  std::vector<std::vector<std::uint32_t>> successors_;
  std::vector<std::vector<std::uint32_t>> predecessors_;
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> numbers_;
  std::vector<std::uint32_t> dominators_;
};

}  // namespace

void find_reconvergence(FunctionCode& function) {
  if (function.code.empty()) return;
  const FlowGraph graph(function);
  for (std::uint32_t i = 0; i < function.code.size(); ++i) {
    Instruction& instruction = function.code[i];
    const bool branches =
        instruction.control == Control::kBranch || instruction.control == Control::kIndexedBranch;
    if (branches) instruction.reconvergence = graph.meeting_point(i);
  }
}

}  // namespace loci::cuda_double
