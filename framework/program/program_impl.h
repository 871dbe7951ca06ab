// The data of a program: blocks of operators over named variables.
//
// A block is in single-assignment form: a variable has one producer, except that an operator may
// change state in place, and then says so (OutputSlot::updates): the output is then the same
// variable as the input. Operators refer to variables by index; names are for people and files.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <loci/attribute.hpp>
#include <loci/program.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "framework/core/context.h"
#include "framework/ops/infer_context.h"
#include "framework/ops/op_schema.h"

namespace loci::program {

using VarId = std::int32_t;
inline constexpr VarId kNoVar = -1;

enum class ValueKind : std::uint8_t { kTensor, kRowSparse, kList };

struct VarDesc {
  std::string name;
  ValueKind kind = ValueKind::kTensor;
  ops::TensorType type;  // extents may be kDynamicDim
  bool persistable = false;
  bool trainable = false;  // a parameter
  bool is_data = false;    // must be fed
  bool stop_gradient = false;
  std::string guard;  // place of the guard under which a persistable variable was made; or empty
};

// Why an operator is there.
enum class Role : std::uint8_t { kForward, kBackward, kUpdate, kInitialize };
std::string_view role_name(Role role);  // "forward"
Role parse_role(std::string_view name);

// Arguments of one slot.
using Slot = std::vector<VarId>;

// Looks names up without a copy of them.
struct NameHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view name) const {
    return std::hash<std::string_view>()(name);
  }
};

struct Block;

// The operator in whose place another one stands: one of the branch that it takes, or one of those
// that it is written in.
struct Enclosure {
  std::string type;
  std::string name;
  std::shared_ptr<const Enclosure> outer;  // null at the top
};

struct Operator {
  const ops::OpSchema* schema = nullptr;
  std::string name;          // unique in the program: "conv2d_0"
  std::vector<Slot> inputs;  // by slot of the schema
  std::vector<Slot> outputs;
  Attributes attributes;  // complete
  std::string guard;      // place text of a DeviceGuard, or empty
  Role role = Role::kForward;
  std::string scope;   // under which a profile shows it: "relu_grad"; empty: its own type
  std::string origin;  // of a gradient: the operator whose gradient it is part of, "relu_0"
  // The blocks that control flow may run, all with one list of arguments. A block does not change
  // any more once an operator owns it, so that copies of the operator share it.
  std::vector<std::shared_ptr<const Block>> blocks = {};
  std::shared_ptr<const Enclosure> enclosure = {};  // null: it stands where it was written
  // Iterations that were made before a loop, or the gradient of one (see peeling.h).
  std::int64_t made = 0;
  [[nodiscard]] const std::string& type() const { return schema->name(); }
};

struct Block {
  std::deque<VarDesc> vars;  // a deque: Variable hands out references
  std::unordered_map<std::string, VarId, NameHash, std::equal_to<>> index;  // by name
  std::vector<Operator> ops;
  // The variables that a sub-block, or a pruned program, is given, and those that it returns.
  std::vector<VarId> arguments;
  std::vector<VarId> results;

  // kNoVar if there is none of that name.
  [[nodiscard]] VarId find(std::string_view name) const;
  [[nodiscard]] const VarDesc& var(VarId id) const { return vars[static_cast<std::size_t>(id)]; }
  [[nodiscard]] VarDesc& var(VarId id) { return vars[static_cast<std::size_t>(id)]; }
  // Throws Error(kInvalidArgument) if the name is taken, empty or has control characters.
  VarId add_var(VarDesc desc);
  // Throws as add_var.
  void rename_var(VarId id, std::string name);
};

class ProgramImpl {
 public:
  ProgramImpl();
  ProgramImpl(const ProgramImpl& other);  // a deep copy with an identity of its own
  ProgramImpl& operator=(const ProgramImpl&) = delete;
  // Makes a copy of the program with this block for its main one, and for its only one.
  ProgramImpl(const ProgramImpl& other, Block main);

  // The program holds that operator, or blocks of it do: with a plugin's op it is a use of the
  // context that has the plugin.
  void note_ops_of(const Operator& op);

  // True while it holds a block of control flow that is being built; see block_builder.h.
  [[nodiscard]] bool is_block() const { return is_block_; }
  // Gives no name and no random offset that `other` has given.
  void continue_numbers(const ProgramImpl& other);
  void mark_as_block() { is_block_ = true; }

  // Unique in the process; with version() the key of compiled plans.
  [[nodiscard]] std::uint64_t uid() const { return uid_; }
  [[nodiscard]] std::uint64_t version() const { return version_.load(std::memory_order_acquire); }
  // To be called by whoever changes the program.
  void touch() { version_.fetch_add(1, std::memory_order_acq_rel); }

  [[nodiscard]] Block& main() { return blocks_.front(); }
  [[nodiscard]] const Block& main() const { return blocks_.front(); }
  [[nodiscard]] std::vector<Block>& blocks() { return blocks_; }
  [[nodiscard]] const std::vector<Block>& blocks() const { return blocks_; }

  // "relu" -> "relu_0", "relu_1", ...; never a name that is taken.
  std::string unique_name(std::string_view prefix);
  // Keeps unique_name() away from a name that was chosen elsewhere: after "fc_0.weight" it gives
  // neither "fc_0" nor a smaller number.
  void reserve_name(std::string_view name);
  // The next offset for a random operator.
  [[nodiscard]] std::int64_t random_offset() const { return random_offset_; }
  std::int64_t next_random_offset() { return random_offset_++; }
  void set_random_offset(std::int64_t next) { random_offset_ = next; }

 private:
  std::uint64_t uid_;
  std::atomic<std::uint64_t> version_{0};
  std::vector<Block> blocks_;
  std::unordered_map<std::string, std::int64_t> name_counters_;
  std::int64_t random_offset_ = 0;
  bool is_block_ = false;
  std::optional<core::ContextUse> use_;  // of the plugins of its ops
};

// The persistable variable of random state that random operators read: uint64[2], seed and run.
// The executor creates it in the scope, and advances the run after each run that reads it.
inline constexpr const char* kRandomStateName = "@random_state";

}  // namespace loci::program
