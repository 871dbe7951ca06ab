// Chains that NVRTC compiles against those that are interpreted: the same bits, whatever becomes of
// the compiler and of what is kept on the disk. Each run is a process of its own, because a process
// has one plugin.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <loci/fallback.hpp>
#include <loci/op_call.hpp>
#include <loci/ops.hpp>
#include <loci/plugin/elementwise_functions.hpp>
#include <thread>

#include "tests/plugins/cuda/open_double.h"
#include "tests/plugins/cuda/refused_threads.h"
#include "tests/support/cuda_double.h"
#include "tests/support/scratch_directory.h"

namespace loci::test {
namespace {

namespace fs = std::filesystem;
using Integers = std::vector<std::int64_t>;
using Strings = std::vector<std::string>;
using ::testing::HasSubstr;
using ::testing::Not;
using Environment = std::map<std::string, std::string>;

struct Step {
  std::string op;
  Integers operands;
  std::vector<double> constants{};
  DType dtype = DType::kNone;  // none: of the chain
};

struct Chain {
  std::vector<Tensor> inputs;
  std::vector<Step> steps{};
  Integers results{};

  // Returns the number of the step that is added.
  std::int64_t add(Step step) {
    steps.push_back(std::move(step));
    return static_cast<std::int64_t>(inputs.size() + steps.size()) - 1;
  }
  void give(Step step) { results.push_back(add(std::move(step))); }

  [[nodiscard]] std::vector<Tensor> run() const {
    Strings ops;
    Integers operands;
    Integers dtypes;
    std::vector<double> constants;
    for (const Step& step : steps) {
      ops.push_back(step.op);
      operands.push_back(static_cast<std::int64_t>(step.operands.size()));
      operands.insert(operands.end(), step.operands.begin(), step.operands.end());
      const DType dtype = step.dtype == DType::kNone ? inputs.front().dtype() : step.dtype;
      dtypes.push_back(static_cast<std::int64_t>(dtype));
      constants.insert(constants.end(), step.constants.begin(), step.constants.end());
    }
    return OpCall<Tensor>("fused_elementwise")
        .inputs_of("x", inputs)
        .attr("ops", ops)
        .attr("operands", operands)
        .attr("dtypes", dtypes)
        .attr("constants", constants)
        .attr("results", results)
        .results();
  }
};

// The bytes of all results.
std::string bytes_of(const std::vector<Tensor>& results) {
  std::string bytes;
  for (const Tensor& result : results) {
    const Tensor host = result.to("cpu");
    bytes.append(static_cast<const char*>(host.read_data()), host.bytes());
  }
  return bytes;
}

// Numbers of every kind, in an order that puts different ones side by side.
Tensor numbers(DType dtype, const Shape& shape, int seed) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const std::vector<double> special = {0.0,   -0.0, 1.0,   -1.0,  0.5,        2.5,  -3.5,
                                       1e-40, 7e4,  -1e30, 127.6, -128.4,     3e9,  kInfinity,
                                       88.5,  -104, 5e-8,  0.3,   -kInfinity, -7.0, std::nan("")};
  std::vector<double> elements;
  for (std::int64_t i = 0; i < shape.numel(); ++i) {
    elements.push_back(special[static_cast<std::size_t>(i * (seed + 2) + seed) % special.size()]);
  }
  return cast(Tensor::from<double>(elements, shape), dtype).to("cuda:0");
}

Strings unary_of_floats() {
#define LOCI_NAME(op, Function) #op,
  return {LOCI_FLOAT_FUNCTIONS(LOCI_NAME) LOCI_NUMBER_FUNCTIONS(LOCI_NAME)};
#undef LOCI_NAME
}

// The first has the shape of the results; the second advances along rows, and the third from row to
// row.
std::vector<Tensor> inputs_of(DType dtype, std::size_t count = 3) {
  std::vector<Tensor> inputs = {numbers(dtype, {7, 24}, 0), numbers(dtype, {24}, 1),
                                numbers(dtype, {7, 1}, 2)};
  inputs.resize(count);
  return inputs;
}

std::string unary_floats(DType dtype) {
  constexpr std::size_t kResultsOfAChain = 16;
  const Strings ops = unary_of_floats();
  std::string bytes;
  for (std::size_t first = 0; first < ops.size(); first += kResultsOfAChain) {
    Chain chain{inputs_of(dtype, 1)};
    for (std::size_t i = first; i < std::min(first + kResultsOfAChain, ops.size()); ++i) {
      chain.give({ops[i], {0}});
    }
    bytes += bytes_of(chain.run());
  }
  return bytes;
}

std::string more_floats(DType dtype) {
  Chain chain{inputs_of(dtype)};
  chain.give({"clip", {0}, {-0.7, 3.3}});
  chain.give({"clip_grad", {0, 0}, {-0.7, 3.3}});
  chain.give({"gelu", {0}, {0}});
  chain.give({"gelu", {0}, {1}});
  chain.give({"gelu_grad", {0, 0}, {0}});
  chain.give({"gelu_grad", {0, 0}, {1}});
  chain.give({"relu_grad", {0, 0}});
  chain.give({"sigmoid_grad", {0, 0}});
  chain.give({"tanh_grad", {0, 0}});
  chain.give({"scale", {0}, {0.1, -0.7}});
  chain.give({"elementwise_max_grad", {0, 1, 0}});
  chain.give({"elementwise_min_grad", {0, 2, 0}});
  return bytes_of(chain.run());
}

std::string binary_numbers(DType dtype) {
  Chain chain{inputs_of(dtype)};
  for (const char* op : {"elementwise_add", "elementwise_sub", "elementwise_mul", "elementwise_div",
                         "elementwise_max", "elementwise_min"}) {
    const std::int64_t first = chain.add({op, {0, 1}});
    chain.give({op, {2, first}});
  }
  for (const char* op :
       {"equal", "not_equal", "less_than", "less_equal", "greater_than", "greater_equal"}) {
    chain.give({op, {0, 1}, {}, kBool});
  }
  const std::int64_t both =
      chain.add({"logical_and", {chain.results[6], chain.results[9]}, {}, kBool});
  const std::int64_t either = chain.add({"logical_or", {both, chain.results[7]}, {}, kBool});
  const std::int64_t one = chain.add({"logical_xor", {either, chain.results[8]}, {}, kBool});
  const std::int64_t other = chain.add({"logical_not", {one}, {}, kBool});
  chain.give({"where", {other, 1, 2}});
  return bytes_of(chain.run());
}

// One element after the other.
std::string powers(DType dtype) {
  Chain chain{inputs_of(dtype)};
  chain.give({"elementwise_pow", {0, 1}});
  chain.give({"elementwise_mod", {0, 2}});
  return bytes_of(chain.run());
}

std::string integers(DType dtype) {
  Chain chain{inputs_of(dtype, 1)};
  for (const char* op : {"abs", "relu", "sign", "square"}) chain.give({op, {0}});
  chain.give({"clip", {0}, {-2.5, 99.5}});
  chain.give({"scale", {0}, {3, -7}});
  chain.give({"scale", {0}, {2.5, 0.25}});
  return bytes_of(chain.run());
}

std::string casts(DType dtype) {
  Chain chain{inputs_of(dtype, 2)};
  const std::int64_t sum = chain.add({"elementwise_add", {0, 1}});
  for (const DType to : {kBool, kFloat16, kBFloat16, kFloat32, kFloat64, kInt8, kInt16, kInt32,
                         kInt64, kUInt8, kUInt16, kUInt32, kUInt64}) {
    if (to != dtype) chain.give({"cast", {sum}, {}, to});
  }
  return bytes_of(chain.run());
}

// Equal shapes, single elements, views that begin anywhere, and counts that are no whole vectors.
std::string shapes() {
  std::string bytes;
  for (const std::int64_t count : {1, 3, 4, 61, 1024}) {
    for (const std::int64_t begin : {0, 1, 4}) {
      const Tensor all = numbers(kFloat32, {count + begin}, 3);
      const Tensor one = numbers(kFloat32, {1}, 5);
      Chain chain{{all.rows(begin, begin + count), numbers(kFloat32, {count}, 1), one}};
      const std::int64_t product = chain.add({"elementwise_mul", {0, 1}});
      chain.give({"elementwise_add", {product, 2}});
      bytes += bytes_of(chain.run());
    }
  }
  return bytes;
}

std::string everything() {
  std::string bytes = shapes();
  for (const DType dtype : {kFloat32, kFloat64, kFloat16, kBFloat16}) {
    bytes += unary_floats(dtype) + more_floats(dtype) + binary_numbers(dtype) + powers(dtype) +
             casts(dtype);
  }
  for (const DType dtype : {kInt8, kUInt8, kInt32, kInt64}) {
    bytes += integers(dtype) + binary_numbers(dtype) + powers(dtype) + casts(dtype);
  }
  return bytes;
}

std::string small_chain() {
  Chain chain{{numbers(kFloat32, {33}, 0), numbers(kFloat32, {33}, 1)}};
  const std::int64_t product = chain.add({"elementwise_mul", {0, 1}});
  chain.give({"tanh", {product}});
  return bytes_of(chain.run());
}

// So many steps that some launches of it make it worth compiling.
std::string long_chain() {
  Chain chain{{numbers(kFloat32, {33}, 0), numbers(kFloat32, {33}, 1)}};
  std::int64_t value = 0;
  for (int i = 0; i < 31; ++i) value = chain.add({"elementwise_mul", {value, 1}});
  chain.give({"tanh", {value}});
  return bytes_of(chain.run());
}
constexpr int kWorthCompiling = 1 << 8;  // launches

class ChainsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::string_view(LOCI_TEST_NVRTC).empty()) GTEST_SKIP() << "the toolkit has no libnvrtc";
  }

  // Returns what a process with these settings makes; its log is `log` then.
  template <class Body>
  std::string run(Environment environment, Body&& body) {
    environment.emplace("LOCI_CUDA_NVRTC", LOCI_TEST_NVRTC);
    environment.emplace("LOCI_CUDA_COMPILE", "now");
    environment.emplace("XDG_CACHE_HOME", scratch.path("cache"));
    const int status = testing::in_child([&] {
      for (const auto& [name, value] : environment) ::setenv(name.c_str(), value.c_str(), 1);
      use_cuda_double("checks=all");
      const int log_file = ::open(scratch.path("log").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
      ::dup2(log_file, STDERR_FILENO);
      const FallbackGuard on_the_device(FallbackPolicy::kError);
      scratch.write("result", body());
    });
    log = scratch.read("log");
    EXPECT_EQ(status, 0) << log;
    return scratch.read("result");
  }
  std::string interpreted(std::string (*body)()) { return run({{"LOCI_CUDA_NVRTC", "0"}}, body); }

  [[nodiscard]] std::vector<fs::path> kept() const {
    std::vector<fs::path> files;
    std::error_code none;
    for (const auto& file : fs::directory_iterator(scratch.path("cache/loci/cuda"), none)) {
      files.push_back(file.path());
    }
    return files;
  }
  // How often the log says it.
  [[nodiscard]] std::size_t times(const std::string& text) const {
    std::size_t count = 0;
    for (std::size_t at = log.find(text); at != std::string::npos; at = log.find(text, at + 1)) {
      ++count;
    }
    return count;
  }

  ScratchDirectory scratch;
  std::string log;
};

TEST_F(ChainsTest, HaveTheBitsOfThoseThatAreInterpreted) {
  const std::string expected = interpreted(everything);
  EXPECT_TRUE(kept().empty());
  EXPECT_EQ(run({}, everything), expected);
  EXPECT_EQ(times("could not be compiled"), 0U) << log;
  const std::size_t compiled = kept().size();
  EXPECT_GT(compiled, 30U);
  // From the disk.
  EXPECT_EQ(run({}, everything), expected);
  EXPECT_EQ(kept().size(), compiled);
}

TEST_F(ChainsTest, AreCompiledAgainWhereWhatWasKeptIsDamaged) {
  const std::string expected = run({}, small_chain);
  ASSERT_EQ(kept().size(), 1U);
  const fs::path file = kept().front();
  EXPECT_THAT(file.filename().string(), HasSubstr("fused_mul_tanh-"));
  const auto bytes = fs::file_size(file);
  for (const std::uintmax_t length : {bytes, bytes / 2, std::uintmax_t{0}}) {
    fs::resize_file(file, length);
    std::fstream(file, std::ios::in | std::ios::out | std::ios::binary).seekp(bytes / 3)
        << "damage";
    EXPECT_EQ(run({}, small_chain), expected);
    EXPECT_EQ(fs::file_size(file), bytes);
    EXPECT_EQ(times("warn"), 0U) << log;
  }
}

TEST_F(ChainsTest, WorkWhereNothingCanBeKeptWithOneNote) {
  const std::string expected = interpreted(small_chain);
  const std::string plain = scratch.write("plain", "");
  const auto twice = [] {
    return small_chain() + bytes_of({numbers(kFloat32, {2}, 0)}) + shapes();
  };
  EXPECT_EQ(run({{"XDG_CACHE_HOME", plain}}, twice).substr(0, expected.size()), expected);
  EXPECT_EQ(times("compiled kernels are not kept for later runs: making " + plain), 1U) << log;
  EXPECT_EQ(times("; mend that, or name another folder by XDG_CACHE_HOME"), 1U) << log;
}

TEST_F(ChainsTest, AreInterpretedWhereTheCompilerRefusesWithOneNote) {
  const std::string expected = interpreted(everything);
  const Environment fake = {{"LOCI_CUDA_NVRTC", LOCI_FAKE_NVRTC_LIBRARY},
                            {"LOCI_FAKE_NVRTC", "13.0"}};
  EXPECT_EQ(run(fake, everything), expected);
  EXPECT_EQ(times("chains of elementwise ops are interpreted, because fused_"), 1U) << log;
  EXPECT_EQ(times("NVRTC: NVRTC_ERROR_COMPILATION (fused.cu(1): error: no)"), 1U) << log;
}

// The first of these are interpreted; nothing shows but the file.
TEST_F(ChainsTest, AreCompiledInTheBackgroundOnceTheyAreWorthIt) {
  const std::string expected = interpreted(long_chain);
  const Environment background = {{"LOCI_CUDA_COMPILE", "background"}};
  const auto run_times = [&](int times) {
    run(background, [&] {
      for (int i = 0; i < times; ++i) EXPECT_EQ(long_chain(), expected);
      for (int i = 0; i < 500 && times >= kWorthCompiling && kept().empty(); ++i) ::usleep(20000);
      return long_chain();
    });
  };
  run_times(kWorthCompiling / 2);
  EXPECT_TRUE(kept().empty());
  run_times(kWorthCompiling);
  EXPECT_EQ(kept().size(), 1U);
}

TEST_F(ChainsTest, DoNotKeepAProcessThatEndsWhileOneIsCompiled) {
  for (int i = 0; i < 3; ++i) {
    run({{"LOCI_CUDA_COMPILE", ""}}, [&] {
      for (int n = 0; n < kWorthCompiling; ++n) long_chain();
      ::usleep(20000 * i);
      std::exit(0);
      return std::string();
    });
    fs::remove_all(scratch.path("cache"));
  }
}

TEST_F(ChainsTest, AreTheSameFromSeveralThreads) {
  const std::string expected = interpreted(shapes);
  const std::string small = interpreted(small_chain);
  run({}, [&] {
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&, i] {
        const FallbackGuard on_the_device(FallbackPolicy::kError);
        EXPECT_EQ(i % 2 == 0 ? shapes() : small_chain(), i % 2 == 0 ? expected : small);
      });
    }
    for (std::thread& thread : threads) thread.join();
    return small;
  });
}

TEST_F(ChainsTest, CanBeAskedForAgainWhereTheirCompilationCouldNotBegin) {
  if (!RefusedThreads::can()) GTEST_SKIP() << "the sanitizer starts threads itself";
  const std::string expected = interpreted(small_chain);
  const std::string again = run({}, [] {
    ::alarm(60);  // which ends a process that waits for ever
    static_cast<void>(bytes_of({numbers(kFloat32, {33}, 0)}));  // starts what else is needed
    {
      const RefusedThreads refused;
      EXPECT_ANY_THROW(small_chain());
    }
    return small_chain();
  });
  EXPECT_EQ(again, expected);
  EXPECT_EQ(kept().size(), 1U);
}

// The child says so instead of waiting for a thread that it has not.
TEST_F(ChainsTest, AreRefusedInTheChildOfAForkWhileOneIsCompiled) {
  run({}, [&] {
    small_chain();
    std::thread other([] {
      const FallbackGuard on_the_device(FallbackPolicy::kError);
      unary_floats(kFloat32);
    });
    ::usleep(40000);
    EXPECT_EQ(testing::in_child([] { EXPECT_ANY_THROW(small_chain()); }), 0);
    other.join();
    return std::string();
  });
}

}  // namespace
}  // namespace loci::test
