#include "patches.h"

#include <algorithm>
#include <string>

namespace loci::cuda_graph {
namespace {

// A kernel or the choice of one may go by this alignment of addresses, in bytes.
constexpr std::uint64_t kAlignment = 16;

bool is_copy_of_host(const Op& op, const Captured& captured) {
  return op.launches.count == 0 && op.name == "copy" && op.last == op.first + 1 &&
         captured.nodes()[op.first].type == CU_GRAPH_NODE_TYPE_MEMCPY;
}

// Returns true if every function in its nodes was one that says what it does with addresses.
bool is_plain(const Op& op, const Captured& captured) {
  const auto first = captured.nodes().begin() + static_cast<std::ptrdiff_t>(op.first);
  const auto last = captured.nodes().begin() + static_cast<std::ptrdiff_t>(op.last);
  const auto kernels = std::count_if(
      first, last, [](const Node& node) { return node.type == CU_GRAPH_NODE_TYPE_KERNEL; });
  return op.launches.count == 1 && static_cast<std::size_t>(kernels) == op.launches.plain_functions;
}

// The first op is what was not announced.
const Op* find_op(const Captured& captured, std::uint64_t item) {
  const auto op = std::lower_bound(captured.ops().begin() + 1, captured.ops().end(), item,
                                   [](const Op& each, std::uint64_t of) { return each.item < of; });
  return op == captured.ops().end() || op->item != item ? nullptr : &*op;
}

}  // namespace

void Patches::refuse(loci_code code, const std::string& why) const {
  throw sdk::Error(code, "[cuda_graph] " + driver_->place() + ": " + why);
}

Patches::Known& Patches::known(std::uint64_t item) {
  const auto found = known_.find(item);
  if (found != known_.end()) return found->second;
  const Op* op = find_op(*captured_, item);
  if (op == nullptr) {
    refuse(LOCI_CODE_INVALID_ARGUMENT,
           "there is no item " + std::to_string(item) + " in the graph");
  }
  return known_.emplace(item, learn(*op)).first->second;
}

Patches::Known Patches::learn(const Op& op) const {
  Known learnt;
  learnt.is_copy = is_copy_of_host(op, *captured_);
  if (!learnt.is_copy && !is_plain(op, *captured_)) {
    refuse(LOCI_CODE_UNSUPPORTED, "which parameter of its nodes is an argument of " + text_of(op) +
                                      " is not known; capture anew and update");
  }
  const CurrentContext current(*driver_);
  for (std::size_t node = op.first; node < op.last; ++node) {
    learnt.nodes.emplace_back(*driver_, captured_->nodes()[node]);
  }
  if (learnt.is_copy) {
    learnt.arguments = {{0, {{0, 0, 0}}, {}}, {0, {{0, 1, 0}}, {}}};
  } else {
    learnt.arguments = argument_words(op.launches.arguments, learnt.nodes);
  }
  return learnt;
}

void Patches::set(std::uint64_t item, std::uint32_t argument, void* address) {
  Known& op = known(item);
  const std::string which =
      "argument " + std::to_string(argument) + " of item " + std::to_string(item);
  if (argument >= op.arguments.size()) {
    refuse(LOCI_CODE_INVALID_ARGUMENT,
           "item " + std::to_string(item) +
               (op.is_copy ? " is a copy and has no argument " : " has no argument ") +
               std::to_string(argument) + (op.is_copy ? "; 0 is its source and 1 its target" : ""));
  }
  const ArgumentWords& told = op.arguments[argument];
  if (!told.refusal.empty()) {
    refuse(LOCI_CODE_UNSUPPORTED,
           which + " cannot be exchanged: " + told.refusal + "; capture anew and update");
  }
  const auto now = reinterpret_cast<std::uintptr_t>(address);
  if (!op.is_copy && (now == 0 || (now ^ told.address) % kAlignment != 0)) {
    refuse(LOCI_CODE_UNSUPPORTED, which +
                                      " cannot be exchanged: what it lies at now is aligned "
                                      "otherwise; capture anew and update");
  }
  for (const AddressWord& word : told.words) {
    op.nodes[word.node].set_word(word.word, now + word.offset);
    changed_.emplace(item, word.node);
  }
}

void Patches::give(CUgraphExec exec, const Captured& origin) {
  while (!changed_.empty()) {
    const auto [item, node] = *changed_.begin();
    const std::size_t number = find_op(*captured_, item)->first + node;
    known_.at(item).nodes[node].give(*driver_, exec, origin.nodes()[number].handle,
                                     "patching node " + captured_->name_of(number));
    changed_.erase(changed_.begin());
  }
}

}  // namespace loci::cuda_graph
