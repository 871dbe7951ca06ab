#include "framework/program/verifier.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <loci/control_flow.hpp>
#include <loci/ops.hpp>

#include "framework/program/control_flow.h"

namespace loci::program {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

// relu, scale and sgd over x and w: operators 0, 1 and 2.
class VerifierTest : public ::testing::Test {
 protected:
  VerifierTest() {
    const ProgramGuard guard(main_);
    const Variable x = data("x", {-1, 3}, kFloat32);
    const Variable w = create_parameter({3}, kFloat32, initializer::constant(0), "w");
    const Variable rate = create_persistable({}, kFloat32, initializer::constant(0), "rate");
    scale(relu(x), 2.0);
    sgd(w, w, rate);
  }

  void expect_refused(const std::function<void(Block&)>& damage, const std::string& where,
                      const std::string& reason) {
    const Program copy = main_.clone();
    damage(copy.impl()->main());
    EXPECT_THAT([&] { verify(*copy.impl(), "net"); },
                ThrowsMessage<Error>(AllOf(HasSubstr("[program] net" + where), HasSubstr(reason))));
  }

  Program main_;
};

TEST_F(VerifierTest, AcceptsWhatTheBuilderMakes) { EXPECT_NO_THROW(verify(*main_.impl(), "net")); }

TEST_F(VerifierTest, ErrorsAreDataLoss) {
  main_.impl()->main().ops[0].schema = nullptr;
  try {
    main_.verify();
    FAIL() << "not refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kDataLoss);
  }
}

TEST_F(VerifierTest, ChecksVariables) {
  const std::string x = ".variables[0] ('x')";
  expect_refused([](Block& b) { b.vars[0].type.dtype = DType::kNone; }, x, "no dtype");
  expect_refused([](Block& b) { b.vars[0].guard = "No Place"; }, x, "'No Place' is not a place");
  expect_refused([](Block& b) { b.vars[0].trainable = true; }, x, "must be persistable");
  expect_refused(
      [](Block& b) {
        b.vars[0].type.shape = Shape{std::int64_t{1} << 61, 3};
      },
      x, "63 bits");
  expect_refused([](Block& b) { b.index["x"] = 1; }, x, "not found under its name");
  expect_refused([](Block& b) { b.index.erase("x"); }, "", "one name");
  expect_refused(
      [](Block& b) {
        VarDesc desc;
        desc.name = kRandomStateName;
        desc.type = {kFloat32, Shape{2}};
        desc.persistable = true;
        b.add_var(desc);
      },
      ".variables[5]", "uint64[2], not float32[2]");
}

TEST_F(VerifierTest, ChecksOperators) {
  const std::string relu = ".operators[0] ('relu_0')";
  expect_refused([](Block& b) { b.ops[0].name.clear(); }, ".operators[0]", "name");
  expect_refused([](Block& b) { b.ops[0].scope = "a\x1b"; }, relu, "control character");
  expect_refused([](Block& b) { b.ops[1].name = "relu_0"; }, ".operators[1]", "that name");
  expect_refused([](Block& b) { b.ops[0].guard = "#"; }, relu, "'#' is not a place");
  expect_refused([](Block& b) { b.ops[0].attributes["slope"] = 1.0; }, relu, "'slope'");
  expect_refused([](Block& b) { b.ops[1].attributes.erase("bias"); }, ".operators[1]", "lacks");
  expect_refused([](Block& b) { b.ops[0].inputs.clear(); }, relu, "0 input slots");
  expect_refused([](Block& b) { b.ops[0].inputs[0].clear(); }, relu, "'x' is missing");
  expect_refused([](Block& b) { b.ops[0].inputs[0] = {0, 0}; }, relu, "takes one");
  expect_refused([](Block& b) { b.ops[0].inputs[0] = {99}; }, relu, "refers to no variable");
  expect_refused([](Block& b) { b.ops[0].outputs.clear(); }, relu, "0 output slots");
  expect_refused([](Block& b) { b.ops[0].outputs[0].clear(); }, relu, "0 variable(s)");
  expect_refused([](Block& b) { b.ops[0].outputs[0] = {-5}; }, relu, "refers to no variable");
}

TEST_F(VerifierTest, ChecksTypesAgainstTheSchema) {
  expect_refused([](Block& b) { b.vars[3].type.dtype = kInt32; }, ".operators[0]",
                 "'out' is float32[-1, 3], but 'relu_0.out' is int32[-1, 3]");
  expect_refused([](Block& b) { b.vars[3].type.shape = Shape{-1, 4}; }, ".operators[0]", "[-1, 4]");
  main_.impl()->main().vars[3].type.shape = Shape{7, 3};
  EXPECT_NO_THROW(verify(*main_.impl(), "net")) << "an unknown extent fits any";
}

TEST_F(VerifierTest, FindsUseBeforeDefinition) {
  expect_refused([](Block& b) { std::swap(b.ops[0], b.ops[1]); }, ".operators[0] ('scale_0')",
                 "'relu_0.out', which no earlier operator computes");
  // A cycle: each reads what the other computes.
  expect_refused([](Block& b) { b.ops[0].inputs[0] = b.ops[1].outputs[0]; }, ".operators[0]",
                 "no earlier operator computes");
}

TEST_F(VerifierTest, FindsTwoProducersAndNone) {
  expect_refused([](Block& b) { b.ops[1].outputs[0] = b.ops[0].outputs[0]; }, ".operators[1]",
                 "an earlier operator does too");
  expect_refused([](Block& b) { b.ops[0].outputs[0] = {0}; }, ".operators[0]", "which is fed");
  expect_refused([](Block& b) { b.ops.erase(b.ops.begin() + 1); }, ".variables[4]",
                 "neither fed nor persistable nor computed");
}

TEST_F(VerifierTest, StateChangesInPlaceOnly) {
  expect_refused([](Block& b) { b.ops[2].outputs[0] = {2}; }, ".operators[2]",
                 "float32[3], but 'rate'");
  expect_refused(
      [](Block& b) {
        b.vars[1].persistable = b.vars[1].trainable = false;
        b.vars[1].is_data = true;
      },
      ".operators[2]", "not persistable");
}

TEST_F(VerifierTest, ChecksArgumentsAndResults) {
  expect_refused([](Block& b) { b.arguments = {77}; }, "", "variable 77");
  expect_refused([](Block& b) { b.arguments = {0, 0}; }, "", "'x' twice");
  expect_refused([](Block& b) { b.results = {-1}; }, "", "variable -1");
}

TEST(CompatibleTest, UnknownExtentsFit) {
  EXPECT_TRUE(compatible({kFloat32, Shape{-1, 2}}, {kFloat32, Shape{3, -1}}));
  EXPECT_FALSE(compatible({kFloat32, Shape{-1, 2}}, {kFloat32, Shape{3, 3}}));
  EXPECT_FALSE(compatible({kFloat32, Shape{2}}, {kFloat32, Shape{2, 1}}));
  EXPECT_FALSE(compatible({kFloat32, Shape{2}}, {kFloat64, Shape{2}}));
}

// A branch over x and the state of a second one.
class BlockVerifierTest : public VerifierTest {
 protected:
  BlockVerifierTest() {
    const ProgramGuard guard(main_);
    const Variable on = data("on", {1}, kBool);
    const Variable x = main_.find("x");
    const Variable w = main_.find("w");
    const Variable rate = main_.find("rate");
    cond(
        on,
        [&] {
          sgd(w, w, rate);
          return relu(x);
        },
        [&] { return tanh(x); });
  }
  void expect_block_refused(const std::function<void(Block&)>& damage, const std::string& where,
                            const std::string& reason) {
    expect_refused([&](Block& b) { edit_blocks(b.ops[3], damage); },
                   ".operators[3] ('case_0')" + where, reason);
  }
};

TEST_F(BlockVerifierTest, LooksIntoBlocks) {
  EXPECT_NO_THROW(verify(*main_.impl(), "net"));
  expect_block_refused([](Block& b) { b.ops.clear(); }, ".blocks[0].variables",
                       "is neither fed nor persistable nor computed");
  expect_block_refused([](Block& b) { b.ops.back().inputs[0] = {99}; }, ".blocks[0].operators",
                       "refers to no variable");
  expect_block_refused([](Block& b) { b.arguments.clear(); }, ".blocks[0].operators",
                       "which no earlier operator computes");
  expect_block_refused([](Block& b) { b.var(b.arguments[0]).is_data = true; },
                       ".blocks[0].variables", "is in a block, which nothing is fed to");
}

TEST_F(BlockVerifierTest, BlocksFitTheirOperator) {
  expect_block_refused([](Block& b) { b.results.clear(); }, "", "but the operator gives 0");
  expect_refused([](Block& b) { b.ops[3].blocks.pop_back(); }, ".operators[3]",
                 "has 1 block(s) instead of 2");
  expect_refused([](Block& b) { b.ops[0].blocks = b.ops[3].blocks; }, ".operators[0]",
                 "has blocks, but relu takes none");
  expect_refused([](Block& b) { b.ops[3].outputs[1].clear(); }, ".operators[3]",
                 "output 'states' has 0 variable(s), but the operator gives 1");
  expect_block_refused(
      [](Block& b) {
        for (const VarId id : b.arguments) {
          if (b.var(id).name == "w") b.rename_var(id, "v");
        }
      },
      ".blocks[0]", "takes 'w' as the state 'v'");
}

TEST_F(BlockVerifierTest, RefusesTooManyLevels) {
  expect_refused(
      [](Block& b) {
        for (int level = 0; level <= kMostBlockDepth; ++level) {
          Operator around = b.ops[3];
          auto inner = std::make_shared<Block>(*around.blocks[0]);
          inner->ops.push_back(b.ops[3]);
          around.blocks[0] = inner;
          b.ops[3] = around;
        }
      },
      ".operators[3]", "");
}

}  // namespace
}  // namespace loci::program
