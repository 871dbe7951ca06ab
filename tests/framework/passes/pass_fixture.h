// Tests of passes share this fixture: a program to rewrite, and a look at the result.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/ops.hpp>
#include <loci/program.hpp>
#include <string>
#include <vector>

#include "framework/passes/pass.h"
#include "framework/planning/constant_evaluator.h"

namespace loci::passes {

class PassTest : public ::testing::Test {
 protected:
  program::Block& block() { return main_.impl()->main(); }

  PassContext context(const std::vector<Variable>& fetches, const Place& place = Place("cpu")) {
    PassContext made;
    made.kept.resize(block().vars.size());
    for (const Variable& fetch : fetches) made.kept[static_cast<std::size_t>(fetch.id())] = true;
    made.evaluate = planning::constant_evaluator(place);
    return made;
  }

  std::vector<std::string> types() {
    std::vector<std::string> result;
    for (const program::Operator& op : block().ops) result.push_back(op.type());
    return result;
  }

  Program main_;
  Program startup_;
  ProgramGuard guard_{main_, startup_};
};

}  // namespace loci::passes
