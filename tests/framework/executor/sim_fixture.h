// Programs on software accelerators, with the race checker on.
#pragma once

#include <string>
#include <vector>

#include "framework/core/config.h"
#include "tests/framework/executor/programs_fixture.h"

namespace loci::executor {

class SimProgramsTest : public ProgramsTest {
 protected:
  static void SetUpTestSuite() { core::set_config_value("SIM", "race=1"); }

  // An operator at a place.
  static Variable relu_at(const char* place, const Variable& x) {
    const DeviceGuard guard(place);
    return relu(x);
  }
  static Variable add_at(const char* place, const Variable& x, const Variable& y) {
    const DeviceGuard guard(place);
    return elementwise_add(x, y);
  }

  // Returns options that leave the program as it is written, but for the streams.
  static CompileOptions with_streams(int streams) {
    CompileOptions options = CompileOptions::none();
    options.streams = streams;
    return options;
  }

  // Returns what an instruction is for: "relu_0", or "copy x" of a variable.
  static std::string name_of(const execution::Plan& plan, std::size_t index) {
    const execution::Instruction& instruction = plan.instructions[index];
    if (const execution::TransferStep* copy = instruction.transfer()) {
      return std::string("copy ") + copy->labels.variable;
    }
    return plan.operators[static_cast<std::size_t>(instruction.op)].op->name;
  }
  static std::size_t index_of(const execution::Plan& plan, const std::string& name) {
    for (std::size_t i = 0; i < plan.instructions.size(); ++i) {
      if (name_of(plan, i) == name) return i;
    }
    ADD_FAILURE() << "no instruction " << name;
    return 0;
  }
  template <class Indices>
  static std::vector<std::string> names_of(const execution::Plan& plan, const Indices& indices) {
    std::vector<std::string> names;
    for (const auto index : indices) names.push_back(name_of(plan, index));
    return names;
  }
};

}  // namespace loci::executor
