// mma and ldmatrix: products against double precision, and what is wrong with their use.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

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

// All values of a byte, mixed up.
template <class T>
std::vector<T> bytes(std::size_t count, unsigned factor) {
  std::vector<T> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = static_cast<T>(static_cast<std::uint8_t>((i * factor) ^ (i >> 3)));
  }
  return values;
}

template <class Left, class Right>
void check_bytes(Rig& rig, std::string_view kernel) {
  const auto a = bytes<Left>(kRows * kDepth, 37);
  const auto b = bytes<Right>(kDepth * kColumns, 101);
  const auto left = rig.array(a);
  const auto right = rig.array(transposed(b));
  const auto out = rig.array<std::int32_t>(kRows * kColumns);
  rig.launch(kernel, {kColumns / 8, kRows / 16}, {32}, left, right, out, static_cast<int>(kColumns),
             static_cast<int>(kDepth));
  const auto exact = product({a.begin(), a.end()}, {b.begin(), b.end()});
  const std::vector<std::int32_t> results = out.get();
  for (std::size_t i = 0; i < exact.size(); ++i) ASSERT_EQ(results[i], exact[i]) << i;
  EXPECT_TRUE(out.is_written());
}

TEST_F(Matrices, of_signed_bytes) {
  check_bytes<std::int8_t, std::int8_t>(rig, "signed_byte_product");
}

TEST_F(Matrices, of_unsigned_by_signed_bytes) {
  check_bytes<std::uint8_t, std::int8_t>(rig, "mixed_byte_product");
}

TEST_F(Matrices, with_sums_of_halves) {
  const auto a = rounded<Half>(noise(kRows * kDepth, 1));
  const auto b = rounded<Half>(noise(kDepth * kColumns, 2));
  const auto left = rig.array(a);
  const auto right = rig.array(transposed(b));
  const auto out = rig.array<Half>(kRows * kColumns);
  rig.launch("half_sums", {kColumns / 8, kRows / 16}, {32}, left, right, out,
             static_cast<int>(kColumns), static_cast<int>(kDepth));
  const std::vector<double> results = doubles(out.get());
  const std::vector<double> exact = product(doubles(a), doubles(b));
  // Five roundings of sums below 16 to 11 bits.
  double worst = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    worst = std::max(worst, std::abs(results[i] - exact[i]));
  }
  EXPECT_LT(worst, 5 * 16 * 0x1p-12);
  EXPECT_GT(worst, 1e-4);
  EXPECT_TRUE(out.is_written());
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
  for (const std::string form :
       {"mma.sync.aligned.m16n8k16.row.col.f32.f16.bf16.f32", "mma.sync.aligned.m8n8k4.row.col.f64",
        "mma.sync.aligned.m16n8k16.row.col.f32.tf32.tf32.f32",
        "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f32",
        "mma.sync.aligned.m16n8k32.row.col.s32.s4.s4.s32",
        "mma.sync.aligned.m16n8k16.row.col.satfinite.f32.f16.f16.f32",
        "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32",
        "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32",
        "ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8",
        "stmatrix.sync.aligned.m8n8.x1.shared.b16",
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16"}) {
    const FaultReport report = fault_of_text(form + " {%r0}, {%r1}, {%r2}, {%r3};");
    EXPECT_EQ(report.kind, FaultKind::kUnsupported) << form;
    EXPECT_THAT(report.text, HasSubstr("'" + form + "' is not there")) << form;
    EXPECT_EQ(report.ptx_line, 15U) << form;
  }
}

// Returns what the warp has in the register %r5 after the body.
std::vector<std::uint64_t> results_of(const std::string& body) {
  Rig rig;
  rig.load(kernel_text(body + "cvt.u64.u32 %rd0, %r5;\nst.global.u64 [%at], %rd0;"));
  const auto out = rig.array<std::uint64_t>(32);
  rig.launch("test", {1}, {32}, out);
  return out.get();
}

// All elements are 127, and C is near the greatest integer.
TEST(MatrixInstructions, integers_wrap_or_stop_at_their_bounds) {
  const auto first_of = [](const std::string& modifier, const std::string& start) {
    return static_cast<std::int32_t>(
        results_of(
            "mov.u32 %r1, 0x7f7f7f7f;\nmov.u32 %r2, " + start +
            ";\nmma.sync.aligned.m16n8k16.row.col" + modifier +
            ".s32.s8.s8.s32 {%r5, %r6, %r7, %r8}, {%r1, %r1}, {%r1}, {%r2, %r2, %r2, %r2};\n")
            .at(7));
  };
  constexpr std::int32_t kProduct = 16 * 127 * 127;
  EXPECT_EQ(first_of("", "1000"), 1000 + kProduct);
  EXPECT_EQ(first_of("", "0x7fffffff"), std::numeric_limits<std::int32_t>::min() + kProduct - 1);
  EXPECT_EQ(first_of(".satfinite", "0x7fffffff"), std::numeric_limits<std::int32_t>::max());
  EXPECT_EQ(first_of(".satfinite", "0x80000000"),
            std::numeric_limits<std::int32_t>::min() + kProduct);
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
