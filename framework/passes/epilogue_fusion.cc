#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "framework/ops/epilogue_rules.h"
#include "framework/ops/op_registry.h"
#include "framework/passes/pass.h"

namespace loci::passes {
namespace {

using program::Block;
using program::Operator;
using program::Slot;
using program::VarId;

constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);

// Who reads each variable, and when it is written; positions are those of operators.
class Uses {
 public:
  explicit Uses(const Block& block) : readers_(block.vars.size()), writes_(block.vars.size()) {
    for (std::size_t i = 0; i < block.ops.size(); ++i) {
      for (const Slot& slot : block.ops[i].inputs) {
        for (const VarId id : slot) add_reader(id, i);
      }
      for (const Slot& slot : block.ops[i].outputs) {
        for (const VarId id : slot) writes_[at(id)].push_back(i);
      }
    }
  }

  // The operator that reads it, if it is the only one and does so once.
  [[nodiscard]] std::optional<std::size_t> only_reader(VarId id) const {
    const Reader& reader = readers_[at(id)];
    return reader.count == 1 ? std::optional(reader.last) : std::nullopt;
  }
  [[nodiscard]] bool is_read(VarId id) const { return readers_[at(id)].count != 0; }
  // The positions of the operators that write it, ascending.
  [[nodiscard]] const std::vector<std::size_t>& writes(VarId id) const { return writes_[at(id)]; }

 private:
  struct Reader {
    int count = 0;
    std::size_t last = kNowhere;
  };
  static std::size_t at(VarId id) { return static_cast<std::size_t>(id); }
  void add_reader(VarId id, std::size_t position) {
    Reader& reader = readers_[at(id)];
    ++reader.count;
    reader.last = position;
  }

  std::vector<Reader> readers_;
  std::vector<std::vector<std::size_t>> writes_;
};

// A product and the operators behind it that it takes up.
struct Chain {
  Operator fused;
  std::size_t first = 0;  // position of the product
  std::size_t last = 0;   // of what it took up last
  std::vector<std::size_t> taken;
};

class Fuser {
 public:
  Fuser(Block& block, const PassContext& context)
      : block_(block), context_(context), uses_(block), is_gone_(block.ops.size(), false) {}

  void run() {
    for (std::size_t i = 0; i < block_.ops.size(); ++i) {
      if (is_gone_[i]) continue;
      if (std::optional<Chain> chain = begin(i)) grow(&*chain);
    }
    remove_operators(block_, is_gone_);
  }

 private:
  [[nodiscard]] const ops::TensorType& type(VarId id) const { return block_.var(id).type; }
  [[nodiscard]] bool is_kept(VarId id) const {
    return context_.kept[static_cast<std::size_t>(id)] || block_.var(id).persistable;
  }

  // The fused form of a product, with nothing behind it yet.
  std::optional<Chain> begin(std::size_t position) const {
    const Operator& op = block_.ops[position];
    const char* fused = op.type() == "conv2d"                         ? "fused_conv2d"
                        : op.type() == "matmul" || op.type() == "mul" ? "fused_matmul"
                                                                      : nullptr;
    if (fused == nullptr || !fits(op)) return std::nullopt;
    const DType dtype = type(op.inputs[0].front()).dtype;
    if (!context_.has_kernel || !context_.has_kernel(fused, dtype, op.guard)) return std::nullopt;
    Chain chain;
    chain.first = chain.last = position;
    chain.fused = op;
    chain.fused.schema = &ops::op_registry().get(fused);
    Attributes attributes;
    for (const auto& [name, value] : op.attributes) {
      if (chain.fused.schema->find_attribute(name) != nullptr) attributes[name] = value;
    }
    chain.fused.attributes = chain.fused.schema->complete(attributes);
    chain.fused.inputs.resize(chain.fused.schema->inputs().size());
    return chain;
  }

  // mul flattens its operands; where that leaves rows of x and the matrix y it is matmul.
  [[nodiscard]] bool fits(const Operator& op) const {
    const int rank = type(op.outputs[0].front()).shape.rank();
    if (op.type() == "matmul") return rank >= 2;
    if (op.type() != "mul") return true;
    const int x = type(op.inputs[0].front()).shape.rank();
    return type(op.inputs[1].front()).shape.rank() == 2 && x >= 2 &&
           std::get<std::int64_t>(op.attributes.at("x_num_col_dims")) == x - 1 &&
           std::get<std::int64_t>(op.attributes.at("y_num_col_dims")) == 1;
  }

  // Takes up what follows, as long as something does, and puts the result where the last one was.
  void grow(Chain* chain) {
    while (const auto next = follower(*chain)) {
      if (!take(block_.ops[*next], chain)) break;
      chain->taken.push_back(*next);
      chain->last = *next;
      chain->fused.name += "+" + block_.ops[*next].name;
    }
    if (chain->taken.empty() || changes_between(*chain)) return;
    is_gone_[chain->first] = true;
    for (const std::size_t position : chain->taken) is_gone_[position] = true;
    is_gone_[chain->last] = false;
    block_.ops[chain->last] = std::move(chain->fused);
  }

  [[nodiscard]] std::optional<std::size_t> follower(const Chain& chain) const {
    const VarId out = chain.fused.outputs[0].front();
    if (is_kept(out)) return std::nullopt;
    const auto reader = uses_.only_reader(out);
    if (!reader || is_gone_[*reader]) return std::nullopt;
    if (block_.ops[*reader].guard != chain.fused.guard) return std::nullopt;
    return reader;
  }

  // Returns true if an operand changes before the fused operator reads it. A normalisation by
  // running statistics does not change the state that it says it writes.
  [[nodiscard]] bool changes_between(const Chain& chain) const {
    for (const Slot& slot : chain.fused.inputs) {
      for (const VarId id : slot) {
        if (block_.var(id).persistable && changes_between(id, chain)) return true;
      }
    }
    return false;
  }
  // Looks only at what is written behind the product: state may be written very often.
  [[nodiscard]] bool changes_between(VarId id, const Chain& chain) const {
    const std::vector<std::size_t>& writes = uses_.writes(id);
    auto write = std::upper_bound(writes.begin(), writes.end(), chain.first);
    for (; write != writes.end() && *write < chain.last; ++write) {
      const auto& taken = chain.taken;
      if (std::find(taken.begin(), taken.end(), *write) == taken.end()) return true;
    }
    return false;
  }

  bool take(const Operator& next, Chain* chain) const {
    if (std::get<std::string>(chain->fused.attributes.at("activation")) != "none") return false;
    const bool taken =
        take_norm(next, chain) || take_sum(next, chain) || take_activation(next, chain);
    if (taken) chain->fused.outputs = {next.outputs[0]};
    return taken;
  }

  static Slot& input(Chain* chain, const char* slot) {
    return chain->fused.inputs[static_cast<std::size_t>(chain->fused.schema->input_index(slot))];
  }

  // Takes a normalisation by running statistics, which then are only read.
  bool take_norm(const Operator& next, Chain* chain) const {
    if (next.type() != "batch_norm" || chain->fused.schema->input_index("scale") < 0) return false;
    if (!input(chain, "scale").empty() || !input(chain, "residual").empty()) return false;
    const bool by_statistics = std::get<bool>(next.attributes.at("is_test")) ||
                               std::get<bool>(next.attributes.at("use_global_stats"));
    if (!by_statistics || std::get<std::string>(next.attributes.at("data_layout")) != "NCHW") {
      return false;
    }
    for (const char* slot : {"saved_mean", "saved_inv_std"}) {
      const Slot& saved = next.outputs[static_cast<std::size_t>(next.schema->output_index(slot))];
      for (const VarId id : saved) {
        if (uses_.is_read(id) || is_kept(id)) return false;
      }
    }
    constexpr std::array<std::pair<const char*, const char*>, 4> kSlots = {
        {{"scale", "scale"}, {"shift", "bias"}, {"mean", "mean"}, {"variance", "variance"}}};
    for (const auto& [own, given] : kSlots) {
      input(chain, own) = next.inputs[static_cast<std::size_t>(next.schema->input_index(given))];
    }
    chain->fused.attributes["epsilon"] = next.attributes.at("epsilon");
    return true;
  }

  bool take_sum(const Operator& next, Chain* chain) const {
    if (next.type() != "elementwise_add" || !input(chain, "residual").empty()) return false;
    const VarId sum = chain->fused.outputs[0].front();
    const bool is_left = next.inputs[0].front() == sum;
    const VarId other = next.inputs[is_left ? 1 : 0].front();
    const Shape& shape = type(sum).shape;
    if (is_bias(*chain, type(other).shape, shape)) {
      input(chain, "bias") = {other};
      return true;
    }
    if (!shape.is_static() || type(other).shape != shape) return false;
    input(chain, "residual") = {other};
    return true;
  }

  // One number for each column of a product.
  static bool is_bias(const Chain& chain, const Shape& added, const Shape& product) {
    if (chain.fused.type() != "fused_matmul" || added.rank() != 1) return false;
    const auto slot = static_cast<std::size_t>(chain.fused.schema->input_index("bias"));
    const std::int64_t columns = product[product.rank() - 1];
    return chain.fused.inputs[slot].empty() && columns != kDynamicDim && added[0] == columns;
  }

  static bool take_activation(const Operator& next, Chain* chain) {
    const std::string name = ops::activation_name(next.type(), next.attributes);
    if (name.empty()) return false;
    chain->fused.attributes["activation"] = name;
    return true;
  }

  Block& block_;
  const PassContext& context_;
  Uses uses_;
  std::vector<bool> is_gone_;  // by operator
};

// Puts a fused_matmul or fused_conv2d in place of a product and what nothing else reads behind it:
// the bias of its columns, a normalisation by running statistics, a sum with a tensor of its shape,
// an activation; where the place has kernels of it.
void fuse_epilogues(Block& block, const PassContext& context) { Fuser(block, context).run(); }

}  // namespace

Pass epilogue_fusion() {
  return {"computes bias, normalisation, residual and activation within the product before them",
          fuse_epilogues, /*keeps_bits=*/false};
}

}  // namespace loci::passes
