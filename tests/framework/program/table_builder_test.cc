#include "framework/program/table_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/loci.hpp>
#include <loci/plugin/builder.hpp>
#include <string>
#include <vector>

#include "framework/core/abi/error.h"
#include "framework/plugin/host_table.h"
#include "tests/support/scratch_directory.h"

namespace loci::program {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Everything goes through the C table, by way of the SDK, as an importer's would.
class TableBuilderTest : public ::testing::Test {
 protected:
  // A parameter over `elements`, whose release is counted.
  loci_parameter over(const std::vector<float>& elements, const std::vector<std::int64_t>& dims) {
    loci_parameter parameter{};
    parameter.type = sdk::Builder::type_of(LOCI_DTYPE_F32, dims);
    parameter.data = elements.data();
    parameter.bytes = elements.size() * sizeof(float);
    parameter.release = [](void* count) { ++*static_cast<int*>(count); };
    parameter.context = &released_;
    return parameter;
  }
  sdk::Value feed(const char* name, const std::vector<std::int64_t>& dims) const {
    return builder_.input(name, LOCI_DTYPE_F32, dims);
  }
  sdk::Value add(sdk::Value x, sdk::Value y) const {
    return builder_.call("elementwise_add").input("x", x).input("y", y).result();
  }
  sdk::Value is_positive(sdk::Value x) const {
    const sdk::Value zero = builder_.scalar(0.0, LOCI_DTYPE_F32);
    return builder_.call("greater_than").input("x", x).input("y", zero).result();
  }
  // The message of what `work` throws.
  template <class Work>
  static std::string refusal(const Work& work) {
    try {
      work();
    } catch (const sdk::Error& error) {
      return error.what();
    }
    return "nothing was thrown";
  }
  static std::vector<float> run(const BuiltProgram& built, const Feed& feeds) {
    const Scope scope;
    for (const auto& [name, tensor] : built.parameters) scope.set(name, tensor);
    const Program program(built.program);
    Executor executor("cpu", {}, scope);
    const Variable fetch(built.program, built.program->main().results.front());
    return executor.run(program, feeds, {fetch}).front().to_vector<float>();
  }

  plugin::HostTable host_{"org.example.reader", "/reader.so"};
  TableBuilder table_;
  sdk::Builder builder_{host_.api(), TableBuilder::api(), table_.handle()};
  int released_ = 0;
};

TEST_F(TableBuilderTest, BuildsFromInputsAndParameters) {
  const std::vector<float> weights{1, 2, 3, 4, 5, 6};
  const sdk::Value x = feed("x", {LOCI_DIM_UNKNOWN, 3});
  const sdk::Value w = builder_.parameter("w", over(weights, {3, 2}));
  const sdk::Value product = builder_.call("mul")
                                 .input("x", x)
                                 .input("y", w)
                                 .name("fully_connected")
                                 .output_names({"scores"})
                                 .result();
  builder_.output(product);
  const BuiltProgram built = table_.take();
  const Block& main = built.program->main();
  EXPECT_EQ(main.ops.front().name, "fully_connected");
  EXPECT_EQ(main.var(main.results.front()).name, "scores");
  EXPECT_EQ(main.var(main.arguments.front()).name, "x");
  EXPECT_EQ(main.var(main.arguments.front()).type.shape, (Shape{kDynamicDim, 3}));
  EXPECT_EQ(run(built, {{"x", Tensor::from<float>({1, 0, 1}, {1, 3})}}),
            (std::vector<float>{6, 8}));
}

TEST_F(TableBuilderTest, ParametersAreReleasedWhenNobodyReadsThem) {
  const std::vector<float> weights{1, 2};
  {
    const sdk::Value used = builder_.parameter("used", over(weights, {2}));
    (void)builder_.parameter("unused", over(weights, {2}));
    builder_.output(add(feed("x", {2}), used));
    const BuiltProgram built = table_.take();
    EXPECT_EQ(released_, 1) << "what no output needs is let go at once";
    EXPECT_EQ(built.parameters.at("used").raw_data(), weights.data()) << "it was copied";
    // A run has a copy, so that it may be changed.
    EXPECT_EQ(run(built, {{"x", Tensor::from<float>({1, 1}, {2})}}), (std::vector<float>{2, 3}));
    EXPECT_EQ(released_, 1);
  }
  EXPECT_EQ(released_, 2);
}

TEST_F(TableBuilderTest, TrainableParametersAreTheProgramsToTrain) {
  const std::vector<float> weights{1, 2};
  loci_parameter trained = over(weights, {2});
  trained.trainable = 1;
  const sdk::Value w = builder_.parameter("trained", trained);
  const sdk::Value c = builder_.parameter("constant", over(weights, {2}));
  builder_.output(add(w, c));
  const BuiltProgram built = table_.take();
  const Block& main = built.program->main();
  EXPECT_TRUE(main.var(main.find("trained")).trainable);
  EXPECT_FALSE(main.var(main.find("trained")).stop_gradient);
  EXPECT_FALSE(main.var(main.find("constant")).trainable);
  EXPECT_TRUE(main.var(main.find("constant")).stop_gradient);
}

TEST_F(TableBuilderTest, BranchesUseWhatIsOutside) {
  const std::vector<float> weights{10};
  const sdk::Value x = feed("x", {1});
  const sdk::Value w = builder_.parameter("w", over(weights, {1}));
  const sdk::Block then = builder_.block([&] { return std::vector<sdk::Value>{add(x, w)}; });
  const sdk::Block otherwise = builder_.block([&] {
    const sdk::Value twice = add(x, x);
    return std::vector<sdk::Value>{add(twice, x)};
  });
  builder_.output(builder_.call("case")
                      .input("preds", is_positive(x))
                      .block(then)
                      .block(otherwise)
                      .output_names({"chosen"})
                      .result());
  const BuiltProgram built = table_.take();
  EXPECT_EQ(run(built, {{"x", Tensor::from<float>({1}, {1})}}), std::vector<float>{11});
  EXPECT_EQ(run(built, {{"x", Tensor::from<float>({-1}, {1})}}), std::vector<float>{-3});
}

TEST_F(TableBuilderTest, LoopsHandValuesOn) {
  const sdk::Value x = feed("x", {1});
  const sdk::Value limit = builder_.scalar(100.0, LOCI_DTYPE_F32);
  const std::vector<sdk::Value> values{x};
  const sdk::Block condition = builder_.block(values, [&](const std::vector<sdk::Value>& now) {
    return std::vector<sdk::Value>{
        builder_.call("less_than").input("x", now[0]).input("y", limit).result()};
  });
  const sdk::Block body = builder_.block(values, [&](const std::vector<sdk::Value>& now) {
    return std::vector<sdk::Value>{add(now[0], now[0])};
  });
  builder_.output(
      builder_.call("while").inputs("values", values).block(condition).block(body).result());
  EXPECT_EQ(run(table_.take(), {{"x", Tensor::from<float>({3}, {1})}}), std::vector<float>{192});
}

TEST_F(TableBuilderTest, BlocksNest) {
  const sdk::Value x = feed("x", {1});
  const sdk::Value one = builder_.scalar(1.0, LOCI_DTYPE_F32);
  const auto choose = [&](sdk::Value by, sdk::Block first, sdk::Block second) {
    return builder_.call("case")
        .input("preds", is_positive(by))
        .block(first)
        .block(second)
        .result();
  };
  const sdk::Block outer = builder_.block([&] {
    const sdk::Value less = add(x, builder_.scalar(-5.0, LOCI_DTYPE_F32));
    const sdk::Block inner = builder_.block([&] { return std::vector<sdk::Value>{add(less, x)}; });
    const sdk::Block other = builder_.block([&] { return std::vector<sdk::Value>{add(x, one)}; });
    return std::vector<sdk::Value>{choose(less, inner, other)};
  });
  const sdk::Block otherwise = builder_.block([&] { return std::vector<sdk::Value>{x}; });
  builder_.output(choose(x, outer, otherwise));
  const BuiltProgram built = table_.take();
  EXPECT_EQ(run(built, {{"x", Tensor::from<float>({7}, {1})}}), std::vector<float>{9});
  EXPECT_EQ(run(built, {{"x", Tensor::from<float>({2}, {1})}}), std::vector<float>{3});
  EXPECT_EQ(run(built, {{"x", Tensor::from<float>({-2}, {1})}}), std::vector<float>{-2});
}

// A program that was built is as any other: it can be saved, loaded and run.
TEST_F(TableBuilderTest, WhatWasBuiltCanBeSaved) {
  const std::vector<float> weights{10};
  const sdk::Value x = feed("x", {LOCI_DIM_UNKNOWN});
  const sdk::Value w = builder_.parameter("w", over(weights, {1}));
  builder_.output(
      builder_.call("elementwise_mul").input("x", x).input("y", w).output_names({"y"}).result());
  const BuiltProgram built = table_.take();
  const Program program(built.program);
  const Scope scope;
  scope.set("w", built.parameters.at("w"));
  const test::ScratchDirectory scratch;
  io::save_inference_model(scratch.path("model"), program, {program.find("x")}, {program.find("y")},
                           scope);
  const io::Model model = io::load_model(scratch.path("model"));
  const Scope loaded;
  for (const auto& [name, tensor] : model.weights) loaded.set(name, tensor);
  Executor executor("cpu", {}, loaded);
  const Tensor result =
      executor.run(model.main, {{"x", Tensor::from<float>({1, 2}, {2})}}, {"y"}).front();
  EXPECT_EQ(result.to_vector<float>(), (std::vector<float>{10, 20}));
}

TEST_F(TableBuilderTest, DrawsRandomNumbersInBlocks) {
  const sdk::Value x = feed("x", {1});
  const auto drawn = [&] {
    return std::vector<sdk::Value>{builder_.call("uniform_random")
                                       .attr("shape", std::vector<std::int64_t>{1})
                                       .dtype("dtype", LOCI_DTYPE_F32)
                                       .attr("low", 2.0)
                                       .attr("high", 3.0)
                                       .result()};
  };
  const sdk::Block then = builder_.block(drawn);
  const sdk::Block otherwise = builder_.block([&] { return std::vector<sdk::Value>{x}; });
  builder_.output(
      builder_.call("case").input("preds", is_positive(x)).block(then).block(otherwise).result());
  const std::vector<float> result = run(table_.take(), {{"x", Tensor::from<float>({1}, {1})}});
  EXPECT_GE(result.at(0), 2.0F);
  EXPECT_LT(result.at(0), 3.0F);
}

TEST_F(TableBuilderTest, RefusesNamesThatAreTaken) {
  const sdk::Value x = feed("x", {1});
  EXPECT_THAT(refusal([&] { (void)feed("x", {1}); }), HasSubstr("x"));
  EXPECT_THAT(refusal([&] { (void)feed("", {1}); }), HasSubstr("name"));
  (void)builder_.call("relu").input("x", x).name("first").result();
  EXPECT_THAT(refusal([&] { (void)builder_.call("relu").input("x", x).name("first").result(); }),
              HasSubstr("there is an operator named 'first' already"));
  const std::vector<float> weights{1};
  EXPECT_THAT(refusal([&] { (void)builder_.parameter("x", over(weights, {1})); }), HasSubstr("x"));
  EXPECT_EQ(released_, 1);
  // A name that the host makes keeps away from those that were given.
  (void)builder_.call("relu").input("x", x).name("relu_0").result();
  (void)builder_.call("relu").input("x", x).result();
}

TEST_F(TableBuilderTest, RefusesParametersOfOtherSizes) {
  const std::vector<float> weights{1, 2};
  EXPECT_THAT(refusal([&] { (void)builder_.parameter("w", over(weights, {3})); }),
              HasSubstr("[builder] the parameter 'w' of float32[3] has 8 bytes; it needs 12"));
  EXPECT_THAT(refusal([&] { (void)builder_.parameter("w", over(weights, {LOCI_DIM_UNKNOWN})); }),
              HasSubstr("the parameter 'w' has the shape [-1]; every extent has to be known"));
  loci_parameter nowhere = over(weights, {2});
  nowhere.data = nullptr;
  EXPECT_THAT(refusal([&] { (void)builder_.parameter("w", nowhere); }),
              HasSubstr("has 8 bytes at NULL; it needs 8"));
  loci_parameter huge = over(weights, {1});
  huge.type = sdk::Builder::type_of(LOCI_DTYPE_F32, {INT64_C(1) << 40, INT64_C(1) << 40});
  EXPECT_THAT(refusal([&] { (void)builder_.parameter("w", huge); }),
              HasSubstr("it needs more than there can be"));
  loci_parameter typeless = over(weights, {2});
  typeless.type.dtype = LOCI_DTYPE_C64;
  EXPECT_THAT(refusal([&] { (void)builder_.parameter("w", typeless); }),
              HasSubstr("the parameter 'w' is of the dtype code 18"));
  EXPECT_EQ(released_, 5) << "each was given back as it was refused";
}

TEST_F(TableBuilderTest, RefusesBlocksThatDoNotFit) {
  const sdk::Value x = feed("x", {1});
  const sdk::Value positive = is_positive(x);
  sdk::Value within;
  const auto fill = [&] {
    within = add(x, x);
    return std::vector<sdk::Value>{within};
  };
  const sdk::Block then = builder_.block(fill);
  EXPECT_THAT(refusal([&] { (void)add(within, x); }),
              HasSubstr("is a value of a block that is complete; return it from that block"));
  EXPECT_THAT(refusal([&] { builder_.output(within); }), HasSubstr("is a value of a block"));
  EXPECT_THAT(refusal([&] { (void)builder_.call("relu").input("x", x).block(then).result(); }),
              HasSubstr("relu is given 1 block(s), and owns none"));
  EXPECT_THAT(
      refusal([&] { (void)builder_.call("case").input("preds", positive).block(then).result(); }),
      HasSubstr("has 1 block(s) instead of 2"));
  EXPECT_THAT(
      refusal([&] { (void)builder_.call("case").input("preds", positive).block({7}).result(); }),
      HasSubstr("case is given the block 7; there are 1"));
  // The refused calls left the block as it was.
  const sdk::Block otherwise = builder_.block(fill);
  (void)builder_.call("case").input("preds", positive).block(then).block(otherwise).result();
  EXPECT_THAT(
      refusal([&] {
        (void)builder_.call("case").input("preds", positive).block(then).block(otherwise).result();
      }),
      HasSubstr("the block 0, which an operator has already"));
  const sdk::Block outside = builder_.block(fill);
  (void)builder_.block([&] {
    EXPECT_THAT(
        refusal([&] {
          (void)builder_.call("conditional_block").input("pred", positive).block(outside).result();
        }),
        HasSubstr("was built in another block than it is in"));
    EXPECT_THAT(refusal([&] { (void)feed("y", {1}); }), HasSubstr("a block is open"));
    return std::vector<sdk::Value>{x};
  });
}

// A block whose results are refused is open as before, and can be closed with others.
TEST_F(TableBuilderTest, ARefusedEndLeavesTheBlockOpen) {
  const loci_builder_api& api = TableBuilder::api();
  const sdk::Value x = feed("x", {1});
  sdk::Value elsewhere;
  const sdk::Block then = builder_.block([&] {
    elsewhere = add(x, x);
    return std::vector<sdk::Value>{elsewhere};
  });
  sdk::check(host_.api(), api.block_begin(table_.handle(), nullptr, 0, nullptr));
  const loci_value wrong[] = {x.id, elsewhere.id};
  loci_block otherwise = -1;
  EXPECT_THAT(refusal([&] {
                sdk::check(host_.api(), api.block_end(table_.handle(), wrong, 2, &otherwise));
              }),
              HasSubstr("or to a branch that is complete"));
  sdk::check(host_.api(), api.block_end(table_.handle(), wrong, 1, &otherwise));
  builder_.output(
      builder_.call("case").input("preds", is_positive(x)).block(then).block({otherwise}).result());
  const BuiltProgram built = table_.take();
  EXPECT_EQ(run(built, {{"x", Tensor::from<float>({-4}, {1})}}), std::vector<float>{-4});
}

TEST_F(TableBuilderTest, RefusesAnEndThatIsNone) {
  const loci_builder_api& api = TableBuilder::api();
  const auto end_block = [&] {
    loci_block block = 0;
    sdk::check(host_.api(), api.block_end(table_.handle(), nullptr, 0, &block));
  };
  EXPECT_THAT(refusal(end_block), HasSubstr("no block is open, and one is closed"));
  EXPECT_THAT([&] { (void)table_.take(); },
              ::testing::ThrowsMessage<Error>(HasSubstr("the program has no output; mark one")));
  const sdk::Value x = feed("x", {1});
  builder_.output(x);
  EXPECT_THAT(refusal([&] { builder_.output(x); }), HasSubstr("'x' is marked as an output twice"));
  EXPECT_THAT(refusal([&] { builder_.output({}); }), HasSubstr("an absent value"));
  sdk::check(host_.api(), api.block_begin(table_.handle(), nullptr, 0, nullptr));
  EXPECT_THAT([&] { (void)table_.take(); },
              ::testing::ThrowsMessage<Error>(HasSubstr("1 block(s) are open at the end")));
}

// A builder that is given up with open blocks leaves nothing behind on its thread.
TEST_F(TableBuilderTest, OpenBlocksEndWithTheBuilder) {
  {
    TableBuilder given_up;
    const loci_builder_api& api = TableBuilder::api();
    sdk::check(host_.api(), api.block_begin(given_up.handle(), nullptr, 0, nullptr));
    sdk::check(host_.api(), api.block_begin(given_up.handle(), nullptr, 0, nullptr));
    EXPECT_NE(BlockBuilder::active(), nullptr);
  }
  EXPECT_EQ(BlockBuilder::active(), nullptr);
}

}  // namespace
}  // namespace loci::program
