// mma and ldmatrix: products against double precision, and what is wrong with their use.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/tools/cuda_double/ptx/rig.h"
#include "tools/cuda_double/ptx/ptx_error.h"
#include "tools/cuda_double/ptx/run/half.h"

namespace loci::cuda_double {
namespace {

using ::testing::HasSubstr;

constexpr std::uint32_t kRows = 32;
constexpr std::uint32_t kColumns = 24;
constexpr std::uint32_t kDepth = 64;

struct Matrices : ::testing::Test {
  void SetUp() override {
    if (!missing_kernels().empty()) GTEST_SKIP() << missing_kernels();
    rig.load_kernels("matrices");
  }

  Rig rig;
};

template <class T>
std::vector<T> rounded(const std::vector<float>& values) {
  std::vector<T> result;
  for (const float value : values) result.push_back(round_to<T>(value));
  return result;
}

template <class T>
std::vector<double> doubles(const std::vector<T>& values) {
  std::vector<double> result;
  for (const T value : values) result.push_back(to_float(value));
  return result;
}

std::vector<double> product(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> c(kRows * kColumns);
  for (std::uint32_t i = 0; i < kRows; ++i) {
    for (std::uint32_t j = 0; j < kColumns; ++j) {
      for (std::uint32_t k = 0; k < kDepth; ++k) {
        c[i * kColumns + j] += a[i * kDepth + k] * b[k * kColumns + j];
      }
    }
  }
  return c;
}

template <class T>
std::vector<T> transposed(const std::vector<T>& b) {
  std::vector<T> result(b.size());
  for (std::uint32_t k = 0; k < kDepth; ++k) {
    for (std::uint32_t j = 0; j < kColumns; ++j) result[j * kDepth + k] = b[k * kColumns + j];
  }
  return result;
}

// A sum of 64 products is rounded a few times.
void expect_near(const std::vector<float>& actual, const std::vector<double>& expected,
                 double bound) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) {
    ASSERT_NEAR(actual[i], expected[i], bound)
        << "row " << i / kColumns << ", column " << i % kColumns;
  }
}

template <class T>
void check_small(Rig& rig, std::string_view kernel, bool by_columns) {
  const auto a = rounded<T>(noise(kRows * kDepth, 1));
  const auto b = rounded<T>(noise(kDepth * kColumns, 2));
  const auto left = rig.array(a);
  const auto right = rig.array(by_columns ? transposed(b) : b);
  const auto out = rig.array<float>(kRows * kColumns);
  rig.launch(kernel, {kColumns / 8, kRows / 16}, {32}, left, right, out, static_cast<int>(kColumns),
             static_cast<int>(kDepth));
  expect_near(out.get(), product(doubles(a), doubles(b)), 5e-6);
  EXPECT_TRUE(out.is_written());
}

TEST_F(Matrices, of_halves) { check_small<Half>(rig, "half_product", false); }

TEST_F(Matrices, of_bfloats) { check_small<Bf16>(rig, "bfloat_product", false); }

TEST_F(Matrices, of_halves_that_need_no_transpose) {
  check_small<Half>(rig, "half_product_of_columns", true);
}

TEST_F(Matrices, of_tf32) {
  const auto a = noise(kRows * kDepth, 1);
  const auto b = noise(kDepth * kColumns, 2);
  const auto left = rig.array(a);
  const auto right = rig.array(b);
  const auto out = rig.array<float>(kRows * kColumns);
  rig.launch("tf32_product", {kColumns / 8, kRows / 16}, {32}, left, right, out,
             static_cast<int>(kColumns), static_cast<int>(kDepth));
  const std::vector<double> exact = product({a.begin(), a.end()}, {b.begin(), b.end()});
  const std::vector<float> results = out.get();
  // 11 bits of a factor are left: more than floats would differ by, and less than halves' bound.
  double worst = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    worst = std::max(worst, std::abs(results[i] - exact[i]));
  }
  EXPECT_LT(worst, 64 * 0x1p-11);
  EXPECT_GT(worst, 1e-5);
}

TEST_F(Matrices, that_are_never_written_are_a_mistake) {
  const auto left = rig.array<Half>(kRows * kDepth);  // poison
  const auto right = rig.array(std::vector<Half>(kDepth * kColumns));
  const auto out = rig.array<float>(kRows * kColumns);
  const FaultReport report = fault_of([&] {
    rig.launch("half_product", {kColumns / 8, kRows / 16}, {32}, left, right, out,
               static_cast<int>(kColumns), static_cast<int>(kDepth));
  });
  EXPECT_EQ(report.kind, FaultKind::kUndefinedValue);
  EXPECT_THAT(report.text, HasSubstr("never written"));
}

TEST_F(Matrices, need_the_whole_warp) {
  const auto left = rig.array(std::vector<Half>(kRows * kDepth));
  const auto right = rig.array(std::vector<Half>(kDepth * kColumns));
  const auto out = rig.array<float>(kRows * kColumns);
  const FaultReport report = fault_of([&] {
    rig.launch("half_product", {1, 1}, {16}, left, right, out, static_cast<int>(kColumns),
               static_cast<int>(kDepth));
  });
  EXPECT_EQ(report.kind, FaultKind::kMissingLanes);
  EXPECT_EQ(report.text, "needs all lanes of the warp, and 0x0000ffff come");
}

// PTX that is written here: no compiler is needed.
FaultReport fault_of_text(const std::string& body) {
  Rig rig;
  rig.load(kernel_text(".shared .align 16 .b8 tile[512];\n" + body));
  const auto out = rig.array<std::uint64_t>(32);
  return fault_of([&] { rig.launch("test", {1}, {32}, out); });
}

TEST(MatrixInstructions, a_row_has_to_be_aligned) {
  const FaultReport report = fault_of_text(
      "mov.u32 %r0, tile; add.u32 %r0, %r0, 8;\n"
      "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r0];");
  EXPECT_EQ(report.kind, FaultKind::kMisaligned);
  EXPECT_THAT(report.text, HasSubstr("reads 16 bytes at 0x8 of shared memory"));
}

TEST(MatrixInstructions, a_row_lies_in_shared_memory) {
  const FaultReport report = fault_of_text(
      "mov.u32 %r0, 512;\nldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1, %r2, %r3, %r4}, [%r0];");
  EXPECT_EQ(report.kind, FaultKind::kOutOfBounds);
}

TEST(MatrixInstructions, forms_that_are_not_there_are_named) {
  for (const char* form :
       {"mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%r0, %r1}, {%r0, %r0, %r0, %r0}, "
        "{%r0, %r0}, {%r0, %r0};",
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.bf16.f32 {%f0, %f1, %f2, %f3}, {%r0, %r0, %r0, "
        "%r0}, {%r0, %r0}, {%f0, %f1, %f2, %f3};",
        "mma.sync.aligned.m16n8k16.row.col.f32.tf32.tf32.f32 {%f0, %f1, %f2, %f3}, {%r0, %r0, %r0, "
        "%r0}, {%r0, %r0}, {%f0, %f1, %f2, %f3};",
        "ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%r0, %r1}, [%r2];"}) {
    const FaultReport report = fault_of_text(form);
    EXPECT_EQ(report.kind, FaultKind::kUnsupported) << form;
    EXPECT_THAT(report.text, HasSubstr("is not there")) << form;
  }
}

TEST(MatrixInstructions, registers_are_counted) {
  Rig rig;
  const auto load = [&](const std::string& body) -> std::string {
    try {
      rig.load(kernel_text(body));
      return "";
    } catch (const PtxError& error) {
      return error.what();
    }
  };
  EXPECT_THAT(load("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r0, %r1}, [%r2];"),
              HasSubstr("operand 1 has to be 4 registers in braces"));
  EXPECT_THAT(load("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, %f3}, {%r0, "
                   "%r0}, %r1, {%f0, %f1, %f2, %f3};"),
              HasSubstr("operand 3 has to be 1 registers in braces"));
  EXPECT_THAT(load("ldmatrix.sync.aligned.m8n8.x1.global.b16 {%r0}, [%rd0];"),
              HasSubstr("matrices are loaded from shared memory"));
}

}  // namespace
}  // namespace loci::cuda_double
