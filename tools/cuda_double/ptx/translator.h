// Turns the body of a function into instructions.
//
// Each family of instructions has a function that looks at an opcode's modifiers, picks a handler,
// and names the operands with their types; what registers are called and where they lie is the
// translator's alone.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/cuda_double/ptx/code.h"
#include "tools/cuda_double/ptx/form.h"
#include "tools/cuda_double/ptx/symbols.h"

namespace loci::cuda_double {

class Translator;

// An address operand: a register and an offset.
struct AddressOperand {
  RegisterRef base = kNoRegister;  // of 8 bytes
  std::int64_t offset = 0;
};

// Emits one instruction: operands in order, then emit().
class InstructionBuilder {
 public:
  InstructionBuilder(Translator& translator, Handler handler) : translator_(translator) {
    instruction_.handler = handler;
  }

  // Operand `number` as it is written, as a register of this type. A result that is wider than its
  // type is extended afterwards; a source that is wider is cut before.
  InstructionBuilder& result(unsigned number, ScalarType type);
  InstructionBuilder& source(unsigned number, ScalarType type);
  InstructionBuilder& result(const OperandSyntax& operand, ScalarType type);
  InstructionBuilder& source(const OperandSyntax& operand, ScalarType type);
  InstructionBuilder& result_ref(RegisterRef ref);
  InstructionBuilder& source_ref(RegisterRef ref);
  // The address in brackets: its register is the next source, its offset the immediate.
  InstructionBuilder& address(unsigned number, StateSpace space);
  InstructionBuilder& flow(DataFlow flow);
  InstructionBuilder& control(Control control);
  InstructionBuilder& modifiers(std::uint32_t modifiers);
  InstructionBuilder& immediate(std::int64_t immediate);
  InstructionBuilder& aligned();
  Instruction& raw() { return instruction_; }
  void emit();

 private:
  struct Widening {
    RegisterRef from;
    RegisterRef to;
    ScalarType type;
    std::uint32_t to_bytes;
  };

  Translator& translator_;
  Instruction instruction_;
  std::vector<RegisterRef> results_;
  std::vector<RegisterRef> sources_;
  std::vector<Widening> widenings_;
};

class Translator {
 public:
  Translator(ModuleCode& module, const UnitSymbols& symbols, const FunctionSyntax& syntax,
             FunctionCode& function);

  // Throws PtxError.
  void translate();

  // For families.
  // From here to the instruction's end, registers may be wider than their operand's type.
  void allow_wider() { allows_wider_ = true; }
  [[nodiscard]] InstructionBuilder build(Handler handler) { return {*this, handler}; }
  [[nodiscard]] const InstructionSyntax& syntax() const { return *instruction_; }
  [[nodiscard]] std::size_t operand_count() const { return instruction_->operands.size(); }
  [[nodiscard]] const OperandSyntax& operand(std::size_t number) const;
  void expect_operands(std::size_t least, std::size_t most) const;
  void expect_operands(std::size_t count) const { expect_operands(count, count); }
  [[noreturn]] void fail(const std::string& message) const;

  [[nodiscard]] RegisterRef source(const OperandSyntax& operand, ScalarType type);
  [[nodiscard]] AddressOperand address(const OperandSyntax& operand, StateSpace space);
  [[nodiscard]] RegisterRef sum(const AddressOperand& address);  // base plus offset, in a register
  [[nodiscard]] RegisterRef temporary(std::uint32_t bytes);      // 0: a predicate
  [[nodiscard]] RegisterRef constant(std::uint64_t value, std::uint32_t bytes);
  [[nodiscard]] RegisterRef constant_predicate(bool value);
  [[nodiscard]] RegisterRef carry();  // the condition code of add.cc and the like
  [[nodiscard]] std::optional<RegisterInfo> find_register(std::string_view name) const;
  [[nodiscard]] std::uint32_t label(std::string_view name) const;  // a number until code is linked
  [[nodiscard]] const FunctionCode* find_function(std::string_view name) const;
  [[nodiscard]] bool is_param_local(std::string_view name) const;
  [[nodiscard]] std::optional<Formal> find_param(std::string_view name) const;
  [[nodiscard]] const BranchTargets* find_branch_targets(std::string_view name) const;
  [[nodiscard]] FunctionCode& function() { return function_; }
  [[nodiscard]] const FunctionCode& function() const { return function_; }

 private:
  friend class InstructionBuilder;

  struct Scope {
    std::map<std::string_view, RegisterInfo> registers;
    std::map<std::string_view, std::pair<RegisterInfo, std::uint32_t>> numbered;  // "%r" -> first
    std::map<std::string_view, LocalVariable> variables;
    std::map<std::string_view, std::uint32_t> labels;  // number of the label
    std::map<std::string_view, BranchTargets> branch_targets;
  };

  void declare_parameters();
  void declare_formals(const std::vector<VariableSyntax>& variables, std::vector<Formal>& formals);
  void open_scope(std::size_t statement);
  void statement(std::size_t number);
  void declare(const VariableSyntax& variable, std::uint32_t line);
  void declare_register(const VariableSyntax& variable);
  void declare_memory(const VariableSyntax& variable);
  void instruction(const InstructionSyntax& syntax, std::uint32_t line);
  void translate_instruction();
  void unsupported(std::string_view reason);
  void locate(const LocationSyntax& location);
  void push(Instruction instruction, const std::vector<RegisterRef>& results,
            const std::vector<RegisterRef>& sources);
  void resolve_labels();
  void link_operands();
  [[nodiscard]] RegisterRef new_register(std::uint32_t bytes);
  [[nodiscard]] RegisterRef literal(const OperandSyntax& operand, ScalarType type);
  [[nodiscard]] RegisterRef symbol_value(const OperandSyntax& operand, ScalarType type);
  [[nodiscard]] std::optional<SymbolValue> find_symbol(std::string_view name);
  [[nodiscard]] RegisterRef read_special(std::string_view name, ScalarType type);
  [[nodiscard]] RegisterRef dynamic_shared_base();
  [[nodiscard]] RegisterRef narrowed(RegisterRef from, const RegisterInfo& info, ScalarType type);
  [[nodiscard]] RegisterRef negated(RegisterRef predicate);
  void check_register_type(const RegisterInfo& info, ScalarType type, std::string_view name) const;

  ModuleCode& module_;
  const UnitSymbols& symbols_;
  const FunctionSyntax& syntax_;
  FunctionCode& function_;
  std::vector<Scope> scopes_;
  std::vector<std::uint32_t> label_targets_;  // by number
  std::vector<std::uint32_t> label_lines_;
  std::map<std::pair<std::uint64_t, std::uint32_t>, RegisterRef> constants_;
  std::map<std::string_view, std::uint32_t> opcodes_;
  std::vector<std::size_t> operand_offsets_;
  const InstructionSyntax* instruction_ = nullptr;
  std::uint32_t line_ = 0;
  std::uint32_t location_ = 0;
  std::uint32_t place_ = 0;
  RegisterRef guard_ = kNoRegister;
  bool allows_wider_ = false;
  RegisterRef carry_ = kNoRegister;
};

}  // namespace loci::cuda_double
