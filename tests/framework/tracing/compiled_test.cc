#include "framework/tracing/compiled.h"

#include <atomic>
#include <loci/io.hpp>
#include <thread>

#include "framework/core/config.h"
#include "tests/framework/eager/eager_fixture.h"
#include "tests/support/scratch_directory.h"

namespace loci::tracing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using Tensors = std::vector<Tensor>;

class CompiledTest : public eager::EagerTest {
 protected:
  static Tensors twice(const Tensors& in) { return {in[0] * 2.0}; }
};

TEST_F(CompiledTest, TracesOnceForEachForm) {
  int calls = 0;
  const CompiledFunction compiled = compile(
      [&](const Tensors& in) {
        ++calls;
        return twice(in);
      },
      {vector({1})});
  EXPECT_THAT(floats(compiled({vector({4})})[0]), ElementsAre(8));
  EXPECT_THAT(floats(compiled({vector({1, 2})})[0]), ElementsAre(2, 4));
  EXPECT_THAT(floats(compiled({vector({5, 6})})[0]), ElementsAre(10, 12));
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(compiled.signatures(), 2U);
}

TEST_F(CompiledTest, BucketsServeManyExtents) {
  for (const char* place : {"cpu", "sim:0"}) {
    const Tensor weight = Tensor::from(std::vector<float>{1, 2, 3, 4, 5, 6}, {3, 2}).to(place);
    const TensorFunction fn = [&](const Tensors& in) {
      return Tensors{softmax(matmul(in[0], weight) * 0.25), in[0] + 1.0};
    };
    CompileOptions options = CompileOptions::exact();
    options.buckets = {4, 8};
    const auto rows_of = [&](std::int64_t rows) {
      std::vector<float> elements;
      for (std::int64_t i = 0; i < rows * 3; ++i) elements.push_back(static_cast<float>(i % 7) - 3);
      return Tensor::from(elements, {rows, 3}).to(place);
    };
    const CompiledFunction compiled = compile(fn, {rows_of(4)}, {}, options);
    for (const std::int64_t rows : {1, 3, 4, 5, 8, 2, 6, 9, 10}) {
      const Tensor x = rows_of(rows);
      const Tensors results = compiled({x});
      const Tensors plain = fn({x});
      EXPECT_EQ(results[0].shape(), plain[0].shape());
      EXPECT_EQ(floats(results[0]), floats(plain[0])) << rows << " rows at " << place;
      EXPECT_EQ(floats(results[1]), floats(plain[1])) << rows << " rows at " << place;
    }
    EXPECT_EQ(compiled.signatures(), 4U) << "4, 8, and two that are more than in any bucket";
    EXPECT_THAT(compiled.bucket_refusals(),
                ElementsAre(HasSubstr("it has more rows than the largest bucket, 8")))
        << "one for both";
  }
}

TEST_F(CompiledTest, RowsThatHangOnOthersAreNotFilledUp) {
  CompileOptions options;
  options.buckets = {4};
  const TensorFunction centred = [](const Tensors& in) { return Tensors{in[0] - mean(in[0])}; };
  const CompiledFunction compiled = compile(centred, {vector({1, 3})}, {}, options);
  EXPECT_THAT(floats(compiled({vector({1, 3})})[0]), ElementsAre(-1, 1));
  EXPECT_THAT(floats(compiled({vector({1, 2, 3})})[0]), ElementsAre(-1, 0, 1));
  EXPECT_THAT(compiled.bucket_refusals(),
              ElementsAre(AllOf(HasSubstr("float32[4] at cpu: it is not filled up to a bucket"),
                                HasSubstr("mixes rows"),
                                HasSubstr("say CompileOptions::rows_are_independent"))))
      << "once for each bucket";
}

TEST_F(CompiledTest, TheUserMaySayThatRowsAreIndependent) {
  CompileOptions options;
  options.buckets = {4};
  options.rows_are_independent = true;
  const Tensor zero = vector({0});
  // The proof does not know of this; the sum of zeros changes nothing.
  const CompiledFunction compiled =
      compile([&](const Tensors& in) { return Tensors{in[0] * 2.0 + reduce_sum(in[0] * zero)}; },
              {vector({1, 3})}, {}, options);
  EXPECT_THAT(floats(compiled({vector({1, 2, 3})})[0]), ElementsAre(2, 4, 6));
  EXPECT_EQ(compiled.signatures(), 1U);
  EXPECT_THAT(compiled.bucket_refusals(), ::testing::IsEmpty());
  const CompiledFunction reduces = compile(
      [](const Tensors& in) { return Tensors{reduce_sum(in[0])}; }, {vector({1, 3})}, {}, options);
  EXPECT_THAT(
      [&] {
        reduces({vector({1, 2, 3})});
      },
      ThrowsMessage<Error>(HasSubstr("[compile] result 0 is [")));
}

TEST_F(CompiledTest, BucketsAreChecked) {
  CompileOptions options;
  options.buckets = {8, 4};
  EXPECT_THAT([&] { (void)compile(twice, {vector({1})}, {}, options); },
              ThrowsMessage<Error>(HasSubstr("[compile] CompileOptions::buckets are 8, 4; give")));
  options.buckets = {4};
  const CompiledFunction adds = compile([](const Tensors& in) { return Tensors{in[0] + in[1]}; },
                                        {vector({1}), vector({1})}, {}, options);
  EXPECT_THAT(
      [&] {
        adds({vector({1, 2}), vector({1})});
      },
      ThrowsMessage<Error>(HasSubstr("[compile] input 1 is [1], and input 0 [2]")));
}

TEST_F(CompiledTest, ASymbolicBatchIsOneForm) {
  TraceOptions options;
  options.symbolic_batch = true;
  const CompiledFunction compiled = compile(twice, {vector({1})}, options);
  EXPECT_THAT(floats(compiled({vector({1, 2, 3})})[0]), ElementsAre(2, 4, 6));
  EXPECT_EQ(compiled.signatures(), 1U);
}

// Four are kept in any case; what is called again later is traced again.
TEST_F(CompiledTest, FormsPastTheBytesGoTheLongestUnusedFirst) {
  core::set_config_value("FORM_CACHE", "1");
  CompiledImpl compiled(twice, {}, {});
  core::set_config_value("FORM_CACHE", "");
  const auto calls = [&](std::int64_t extent) {
    const std::size_t before = compiled.signatures();
    EXPECT_EQ(compiled.run({full({extent}, 3.0, kFloat32)})[0].shape(), Shape({extent}));
    return compiled.signatures() != before;
  };
  for (std::int64_t extent = 1; extent <= 4; ++extent) EXPECT_TRUE(calls(extent));
  EXPECT_FALSE(calls(1)) << "it is one of four";
  EXPECT_TRUE(calls(5));
  EXPECT_EQ(compiled.kept(), 4U);
  EXPECT_FALSE(calls(1)) << "it was used later than 2";
  EXPECT_TRUE(calls(2)) << "in place of which 5 came";
  const test::ScratchDirectory scratch;
  for (std::int64_t extent = 6; extent < 12; ++extent) EXPECT_TRUE(calls(extent));
  compiled.save(scratch.path("model"));  // the first form, though it is gone
  EXPECT_THAT(io::load_model(scratch.path("model")).main.to_string(), HasSubstr("[1]"));
}

TEST_F(CompiledTest, FormsWithinTheBytesStay) {
  CompiledImpl compiled(twice, {}, {});
  for (std::int64_t extent = 1; extent <= 20; ++extent) {
    (void)compiled.run({full({extent}, 3.0, kFloat32)});
  }
  EXPECT_EQ(compiled.kept(), 20U);
  EXPECT_EQ(most_form_bytes(), std::uint64_t{256} << 20);
}

// A run has its form until it ends, whoever comes meanwhile.
TEST_F(CompiledTest, ManyThreadsAndMoreFormsThanAreKept) {
  core::set_config_value("FORM_CACHE", "1");
  CompiledImpl compiled(twice, {}, {});
  core::set_config_value("FORM_CACHE", "");
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      for (std::int64_t run = 0; run < 24; ++run) {
        const std::int64_t extent = 1 + (run * 5 + i) % 9;
        const Tensor result = compiled.run({full({extent}, 3.0, kFloat32)})[0];
        if (floats(result) != std::vector<float>(static_cast<std::size_t>(extent), 6.0F)) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_LE(compiled.kept(), 4U);
}

// An input of which gradients are recorded is taken as it is.
TEST_F(CompiledTest, GradientsOfInputsAreTheirOwn) {
  CompileOptions options;
  options.buckets = {4};
  const CompiledFunction compiled = compile(
      [](const Tensors& in) {
        if (in[0].requires_grad()) reduce_sum(in[0] * in[0]).backward();
        return Tensors{in[0] * 2.0};
      },
      {vector({1, 2, 3, 4})}, {}, options);
  const Tensor x = variable({5, 6});
  EXPECT_THAT(floats(compiled({x})[0]), ElementsAre(10, 12));
  EXPECT_THAT(floats(x.grad()), ElementsAre(10, 12));
  EXPECT_THAT(floats(compiled({vector({5, 6})})[0]), ElementsAre(10, 12));
  EXPECT_EQ(compiled.signatures(), 2U);
}

TEST_F(CompiledTest, ACallWithinATraceIsPartOfIt) {
  const CompiledFunction inner = compile(twice, {vector({1})});
  const CompiledFunction outer =
      compile([&](const Tensors& in) { return inner({in[0] + 1.0}); }, {vector({1})});
  EXPECT_THAT(floats(outer({vector({4})})[0]), ElementsAre(10));
}

TEST_F(CompiledTest, RunsWhereItsInputsAre) {
  const CompiledFunction compiled = compile(twice, {vector({1}).to("sim:1")});
  const Tensor result = compiled({vector({3}).to("sim:1")})[0];
  EXPECT_EQ(result.place(), Place("sim:1"));
  EXPECT_THAT(floats(result), ElementsAre(6));
}

TEST_F(CompiledTest, ResultsAreNotCopiedToTheHostAndBack) {
  const Tensor x = vector({1, 2}).to("sim:0");
  const CompiledFunction compiled = compile(twice, {x});
  (void)compiled({x});
  const std::size_t before = inspect::transfers().size();
  const Tensor result = compiled({x})[0];
  EXPECT_EQ(inspect::transfers().size(), before);
  EXPECT_EQ(result.place(), Place("sim:0"));
  EXPECT_THAT(floats(result), ElementsAre(2, 4));
}

TEST_F(CompiledTest, IsSavedAsAProgram) {
  const test::ScratchDirectory scratch;
  const Tensor w = vector({3});
  w.set_name("w");
  const CompiledFunction compiled =
      compile([&](const Tensors& in) -> Tensors { return {in[0] * w}; }, {vector({1})});
  const std::string directory = scratch.path("model");
  compiled.save(directory);
  const io::Model model = io::load_model(directory);
  EXPECT_THAT(floats(model.weights.at("w")), ElementsAre(3));
  EXPECT_THAT(model.main.to_string(), HasSubstr("elementwise_mul"));
}

TEST_F(CompiledTest, AnUndefinedInputIsRefused) {
  EXPECT_THAT([] { compile(twice, {Tensor()}); },
              ThrowsMessage<Error>(HasSubstr("input 0 is an undefined tensor")));
}

}  // namespace
}  // namespace loci::tracing
