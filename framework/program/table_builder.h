// A whole program through the C table of loci/abi/builder.h.
#pragma once

#include <cstddef>
#include <loci/tensor.hpp>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "framework/ops/program_builder.h"
#include "framework/program/block_builder.h"
#include "framework/program/program_impl.h"

namespace loci::program {

// The program that was built.
struct BuiltProgram {
  // With what the outputs need. The arguments of its main block are the inputs, all of them in
  // order, and its results the outputs.
  std::shared_ptr<ProgramImpl> program;
  // Parameters by name, for those in the program; they refer to the memory that was given, and must
  // not be written to.
  std::map<std::string, Tensor> parameters;
};

// For what reads a program from elsewhere. Of one thread. Operators get the guard of the thread's
// DeviceGuard.
class TableBuilder final : public ops::ProgramBuilder {
 public:
  TableBuilder();
  ~TableBuilder() override;

  loci_value input(const std::string& name, const ops::TensorType& type) override;
  loci_value parameter(const loci_parameter& parameter) override;
  void output(loci_value value) override;
  const std::vector<loci_value>& block_begin(const std::vector<loci_value>& values) override;
  loci_block block_end(const std::vector<loci_value>& results) override;

  // To be called last. Throws Error(kInvalidArgument) if a block is open or there is no output.
  BuiltProgram take();

 private:
  // Carries out the calls of the base class that need no names.
  class Appender final : public ops::Emitter {
   public:
    explicit Appender(TableBuilder& owner) : owner_(owner) {}
    std::vector<ops::Value> emit(const OpCall<ops::Value>& call) override;
    [[nodiscard]] ops::TensorType type(ops::Value value) const override;

   private:
    TableBuilder& owner_;
  };
  struct Closed {
    ClosedBlock block;
    std::size_t value_count;
    std::shared_ptr<ProgramImpl> outer;
    bool is_owned = false;  // by an operator
  };

  std::vector<ops::Value> emit(ops::BuilderCall call) override;
  [[nodiscard]] BlockBuilder* innermost() const;
  // Where operators go now.
  [[nodiscard]] const std::shared_ptr<ProgramImpl>& target() const;
  [[nodiscard]] VarId local(ops::Value value) const;
  ops::Value add(Variable variable);
  VarId add_to_program(VarDesc desc);
  void check_names(const ops::BuilderCall& call) const;
  Closed& closed(loci_block id, const std::string& op);
  void take_blocks(const ops::BuilderCall& call, OperatorSpec* spec);

  Appender appender_{*this};
  std::shared_ptr<ProgramImpl> program_ = std::make_shared<ProgramImpl>();
  std::vector<Variable> variables_;  // by the id of a Value
  std::set<std::string> operator_names_;
  std::map<std::string, Tensor> parameters_;
  std::vector<VarId> inputs_;
  std::vector<VarId> outputs_;
  std::vector<std::unique_ptr<BlockBuilder>> open_;  // the innermost last
  std::vector<std::size_t> value_counts_;            // of the open ones
  std::vector<Closed> closed_;                       // by id
  std::vector<loci_value> arguments_;                // of the last block that was opened
};

}  // namespace loci::program
