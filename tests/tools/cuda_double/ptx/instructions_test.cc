// Single instructions on known operands.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "tests/tools/cuda_double/ptx/rig.h"

namespace loci::cuda_double {
namespace {

struct Case {
  const char* code;        // sets %rd0
  std::uint64_t expected;  // what is in it
};

// Each thread of a warp runs the code and stores %rd0.
std::vector<std::uint64_t> run(const std::string& code, std::uint32_t threads = 32) {
  Rig rig;
  rig.load(kernel_text("  mov.u64 %rd0, 0;\n" + code + "\n  st.global.u64 [%at], %rd0;"));
  const auto out = rig.array<std::uint64_t>(threads);
  rig.launch("test", {1}, {threads}, out);
  return out.get();
}

void check(const std::vector<Case>& cases) {
  for (const Case& each : cases) {
    const std::vector<std::uint64_t> values = run(each.code, 33);
    EXPECT_EQ(values.front(), each.expected)
        << each.code << fmt::format("\n{:#x} and not {:#x}", values.front(), each.expected);
    // The last one is alone in its warp.
    EXPECT_EQ(values.back(), each.expected) << each.code;
  }
}

// The code sets %r0, %f0, %rs0, %p0 or %fd0.
std::string word(const std::string& code) { return code + " cvt.u64.u32 %rd0, %r0;"; }

void check_words(const std::vector<Case>& cases) {
  for (const Case& each : cases) {
    const std::string code = word(each.code);
    check({{code.c_str(), each.expected}});
  }
}

void check_floats(const std::vector<std::pair<const char*, float>>& cases) {
  for (const auto& [text, expected] : cases) {
    const std::string code = std::string(text) + " mov.b32 %r0, %f0; cvt.u64.u32 %rd0, %r0;";
    check({{code.c_str(), std::bit_cast<std::uint32_t>(expected)}});
  }
}

void check_shorts(const std::vector<Case>& cases) {
  for (const Case& each : cases) {
    const std::string code = std::string(each.code) + " cvt.u64.u16 %rd0, %rs0;";
    check({{code.c_str(), each.expected}});
  }
}

void check_predicates(const std::vector<Case>& cases) {
  for (const Case& each : cases) {
    const std::string code = std::string(each.code) + " selp.u64 %rd0, 1, 0, %p0;";
    check({{code.c_str(), each.expected}});
  }
}

TEST(Instructions, sums_and_products_of_integers) {
  check_words({{"add.s32 %r0, 2147483647, 1;", 0x80000000},
               {"add.sat.s32 %r0, 2147483647, 1;", 0x7fffffff},
               {"sub.sat.s32 %r0, -2147483648, 1;", 0x80000000},
               {"sub.u32 %r0, 1, 2;", 0xffffffff},
               {"mul.lo.s32 %r0, -3, 5;", static_cast<std::uint32_t>(-15)},
               {"mul.hi.u32 %r0, 0xffffffff, 0xffffffff;", 0xfffffffe},
               {"mul.hi.s32 %r0, -1, 5;", 0xffffffff},
               {"mad.lo.u32 %r0, 3, 5, 7;", 22},
               {"mad.hi.u32 %r0, 0x80000000, 6, 7;", 10},
               {"mul.wide.u16 %r0, 65535, 65535;", 0xfffe0001},
               {"mad.wide.s16 %r0, -2, 3, 1;", static_cast<std::uint32_t>(-5)},
               {"mul24.lo.u32 %r0, 0xff000003, 5;", 15},
               {"mad24.lo.s32 %r0, -3, 5, 1;", static_cast<std::uint32_t>(-14)},
               {"sad.u32 %r0, 3, 10, 5;", 12},
               {"sad.s32 %r0, 3, -10, 5;", 18},
               {"dp4a.s32.s32 %r0, 0x01ff02fe, 0x03040506, 10;", 10 + 3 - 4 + 10 - 12},
               {"dp4a.u32.u32 %r0, 0xff000001, 0xff000002, 0;", 255 * 255 + 2},
               {"dp2a.lo.s32.u32 %r0, 0xffff0003, 0x00000504, 1;", 1 + 12 - 5}});
  check({{"mul.wide.s32 %rd0, -2, 3;", static_cast<std::uint64_t>(-6)},
         {"mul.hi.u64 %rd0, 0xffffffffffffffff, 16;", 15},
         {"mad.lo.s64 %rd0, 4294967296, 4294967296, 9;", 9},
         {"mul.hi.s64 %rd0, -1, 16;", ~std::uint64_t{0}}});
}

TEST(Instructions, carries) {
  check_words(
      {{"add.cc.u32 %r1, 0xffffffff, 1; addc.u32 %r0, 0, 0;", 1},
       {"add.cc.u32 %r1, 0xfffffffe, 1; addc.u32 %r0, 0, 0;", 0},
       {"sub.cc.u32 %r1, 0, 1; subc.u32 %r0, 5, 0;", 4},
       {"mad.lo.cc.u32 %r1, 0xffffffff, 2, 2; addc.u32 %r0, 7, 0;", 8},
       {"add.cc.u32 %r1, 0xffffffff, 1; madc.hi.u32 %r0, 0x80000000, 2, 0;", 2},
       {"add.cc.u32 %r1, 0xffffffff, 1; addc.cc.u32 %r2, 0xffffffff, 0; addc.u32 %r0, 0, 0;", 1}});
}

TEST(Instructions, divisions) {
  check_words({{"div.u32 %r0, 17, 5;", 3},
               {"div.s32 %r0, -17, 5;", static_cast<std::uint32_t>(-3)},
               {"rem.s32 %r0, -17, 5;", static_cast<std::uint32_t>(-2)},
               {"div.u32 %r0, 17, 0;", 0xffffffff},
               {"rem.u32 %r0, 17, 0;", 17},
               {"div.s32 %r0, -2147483648, -1;", 0x80000000},
               {"rem.s32 %r0, -2147483648, -1;", 0}});
  check_floats({{"div.rn.f32 %f0, 0f3f800000, 0f40400000;", 1.0F / 3.0F},
                {"div.full.f32 %f0, 0f3f800000, 0f00000000;", INFINITY}});
}

TEST(Instructions, bits) {
  check_words({{"popc.b32 %r0, 0xf0f0;", 8},
               {"popc.b64 %r0, 0xf0f0000000000001;", 9},
               {"clz.b32 %r0, 1;", 31},
               {"clz.b64 %r0, 0;", 64},
               {"bfind.u32 %r0, 0x00800000;", 23},
               {"bfind.s32 %r0, -2;", 0},
               {"bfind.u32 %r0, 0;", 0xffffffff},
               {"bfind.shiftamt.u32 %r0, 0x00800000;", 8},
               {"brev.b32 %r0, 1;", 0x80000000},
               {"bfe.u32 %r0, 0x12345678, 8, 12;", 0x456},
               {"bfe.s32 %r0, 0x00000f00, 8, 4;", 0xffffffff},
               {"bfe.s32 %r0, 0x80000000, 28, 12;", 0xfffffff8},
               {"bfi.b32 %r0, 0xab, 0x11223344, 8, 8;", 0x1122ab44},
               {"bmsk.clamp.b32 %r0, 4, 8;", 0xff0},
               {"bmsk.clamp.b32 %r0, 4, 40;", 0xfffffff0},
               {"szext.clamp.s32 %r0, 0x80, 8;", 0xffffff80},
               {"fns.b32 %r0, 0xaa, 0, 2;", 3},
               {"prmt.b32 %r0, 0x33221100, 0x77665544, 0x5140;", 0x55114400},
               {"prmt.b32 %r0, 0x00008000, 0, 0x9999;", 0xffffffff},
               {"prmt.b32.rc8 %r0, 0x33221100, 0, 2;", 0x22222222},
               {"lop3.b32 %r0, 0xf0, 0xcc, 0xaa, 0x96;", 0xf0 ^ 0xcc ^ 0xaa},
               {"not.b32 %r0, 0;", 0xffffffff},
               {"cnot.b32 %r0, 0;", 1},
               {"xor.b32 %r0, 0xff, 0x0f;", 0xf0}});
}

TEST(Instructions, shifts) {
  check_words({{"shl.b32 %r0, 1, 31;", 0x80000000},
               {"shl.b32 %r0, 1, 32;", 0},
               {"shr.u32 %r0, 0x80000000, 31;", 1},
               {"shr.s32 %r0, -8, 1;", static_cast<std::uint32_t>(-4)},
               {"shr.s32 %r0, -8, 99;", 0xffffffff},
               {"shf.l.wrap.b32 %r0, 0x80000001, 0x00000001, 33;", 3},
               {"shf.l.clamp.b32 %r0, 0x80000001, 0x00000001, 33;", 0x80000001},
               {"shf.r.wrap.b32 %r0, 0x00000002, 0x00000001, 1;", 0x80000001}});
}

TEST(Instructions, extremes_and_signs) {
  check_words({{"min.s32 %r0, -1, 1;", 0xffffffff},
               {"min.u32 %r0, -1, 1;", 1},
               {"max.s32.relu %r0, -5, -1;", 0},
               {"max.u16x2 %r0, 0x00010005, 0x00040002;", 0x00040005},
               {"min.s16x2 %r0, 0xffff0005, 0x00040002;", 0xffff0002},
               {"abs.s32 %r0, -7;", 7},
               {"neg.s32 %r0, 7;", static_cast<std::uint32_t>(-7)}});
  check_floats({{"min.f32 %f0, 0f7fffffff, 0f3f800000;", 1.0F},
                {"max.f32 %f0, 0f80000000, 0f00000000;", 0.0F},
                {"abs.f32 %f0, 0fbf800000;", 1.0F},
                {"neg.f32 %f0, 0f3f800000;", -1.0F},
                {"copysign.f32 %f0, 0fbf800000, 0f40000000;", -2.0F}});
  check_words({{"max.NaN.f32 %f0, 0f7fffffff, 0f3f800000; mov.b32 %r0, %f0;", 0x7fffffff}});
}

TEST(Instructions, floats_round_as_they_say) {
  // 1 + 2^-25 lies between 1 and the next float.
  check_floats(
      {{"add.rn.f32 %f0, 0f3f800000, 0f33000000;", 1.0F},
       {"add.rz.f32 %f0, 0f3f800000, 0f33000000;", 1.0F},
       {"add.rm.f32 %f0, 0f3f800000, 0f33000000;", 1.0F},
       {"add.rp.f32 %f0, 0f3f800000, 0f33000000;", std::nextafter(1.0F, 2.0F)},
       {"fma.rm.f32 %f0, 0fbf800000, 0f3f800000, 0fb3000000;", std::nextafter(-1.0F, -2.0F)},
       {"fma.rz.f32 %f0, 0fbf800000, 0f3f800000, 0fb3000000;", -1.0F},
       {"sqrt.rp.f32 %f0, 0f40000000;", 1.41421366F},
       {"rcp.rm.f32 %f0, 0f40400000;", 0.333333313F},
       {"add.sat.f32 %f0, 0f3f800000, 0f3f800000;", 1.0F},
       {"mul.sat.f32 %f0, 0fbf800000, 0f3f800000;", 0.0F},
       {"add.ftz.f32 %f0, 0f00000001, 0f00000001;", 0.0F},
       {"add.f32 %f0, 0f00000001, 0f00000001;", 0x1p-148F},
       {"mul.ftz.f32 %f0, 0f00800000, 0f3f000000;", 0.0F}});
  check({{"add.rp.f64 %fd0, 0d3ff0000000000000, 0d3c00000000000000; mov.b64 %rd0, %fd0;",
          0x3ff0000000000001},
         {"fma.rn.f64 %fd0, 0d4000000000000000, 0d4008000000000000, 0d3ff0000000000000;"
          "mov.b64 %rd0, %fd0;",
          std::bit_cast<std::uint64_t>(7.0)}});
  check_words({{"sub.f32 %f0, 0f7f800000, 0f7f800000; mov.b32 %r0, %f0;", 0x7fffffff}});
}

TEST(Instructions, approximations) {
  check_floats({{"ex2.approx.f32 %f0, 0f40400000;", 8.0F},
                {"lg2.approx.f32 %f0, 0f41000000;", 3.0F},
                {"sin.approx.f32 %f0, 0f00000000;", 0.0F},
                {"cos.approx.f32 %f0, 0f00000000;", 1.0F},
                {"tanh.approx.f32 %f0, 0f42c80000;", 1.0F},
                {"rsqrt.approx.f32 %f0, 0f40800000;", 0.5F},
                {"rcp.approx.ftz.f32 %f0, 0f40000000;", 0.5F},
                {"sqrt.approx.f32 %f0, 0f40800000;", 2.0F}});
}

TEST(Instructions, halves) {
  // 0x3c00 is 1, 0x3c01 the next, 0x0001 the least, 0x7bff the greatest.
  check_shorts(
      {{"mov.b16 %rs1, 0x3c00; add.f16 %rs0, %rs1, %rs1;", 0x4000},
       {"mov.b16 %rs1, 0x0001; mul.f16 %rs0, %rs1, %rs1;", 0},
       {"mov.b16 %rs1, 0x7bff; add.f16 %rs0, %rs1, %rs1;", 0x7c00},
       {"mov.b16 %rs1, 0x7bff; add.sat.f16 %rs0, %rs1, %rs1;", 0x3c00},
       {"mov.b16 %rs1, 0xbc00; mov.b16 %rs2, 0x3c00; fma.rn.relu.f16 %rs0, %rs1, %rs2, %rs1;", 0},
       {"mov.b16 %rs1, 0x3f80; add.bf16 %rs0, %rs1, %rs1;", 0x4000},
       {"mov.b16 %rs1, 0xbf80; abs.bf16 %rs0, %rs1;", 0x3f80},
       {"mov.b16 %rs1, 0x3c00; neg.f16 %rs0, %rs1;", 0xbc00}});
  check_words(
      {{"mov.b32 %r1, 0x3c004000; add.f16x2 %r0, %r1, %r1;", 0x40004400},
       {"mov.b32 %r1, 0x3f804000; fma.rn.bf16x2 %r0, %r1, %r1, %r1;", 0x400040c0},
       {"mov.b32 %r1, 0x3c004000; mov.b32 %r2, 0x40003c00; max.f16x2 %r0, %r1, %r2;", 0x40004000},
       {"mov.b32 %r1, 0x3c004000; mov.b32 %r2, 0x3c003c00; set.eq.f16x2.f16x2 %r0, %r1, %r2;",
        0x3c000000},
       {"mov.b32 %r1, 0x3c004000; mov.b32 %r2, 0x3c003c00; set.eq.u32.f16x2 %r0, %r1, %r2;",
        0xffff0000}});
}

TEST(Instructions, conversions_of_integers) {
  check_words({{"mov.b32 %r1, 0x1ff; cvt.u32.u8 %r0, %r1;", 0xff},
               {"mov.b32 %r1, 0x1ff; cvt.s32.s8 %r0, %r1;", 0xffffffff},
               {"mov.b32 %r1, 300; cvt.sat.u8.u32 %r0, %r1;", 255},
               {"mov.b32 %r1, -5; cvt.sat.u32.s32 %r0, %r1;", 0},
               {"cvt.rni.s32.f32 %r0, 0f40200000;", 2},
               {"cvt.rzi.s32.f32 %r0, 0fc0200000;", static_cast<std::uint32_t>(-2)},
               {"cvt.rmi.s32.f32 %r0, 0fc0200000;", static_cast<std::uint32_t>(-3)},
               {"cvt.rpi.s32.f32 %r0, 0f40200000;", 3},
               {"cvt.rzi.s32.f32 %r0, 0f7f800000;", 0x7fffffff},
               {"cvt.rzi.u32.f32 %r0, 0fbf800000;", 0},
               {"cvt.rzi.u32.f32 %r0, 0f4f800000;", 0xffffffff},
               {"cvt.rzi.s32.f32 %r0, 0f7fffffff;", 0}});
  check({{"mov.b32 %r1, -5; cvt.s64.s32 %rd0, %r1;", static_cast<std::uint64_t>(-5)},
         {"cvt.rzi.u64.f64 %rd0, 0d43f0000000000000;", ~std::uint64_t{0}},
         {"cvt.rzi.s64.f64 %rd0, 0dc3e0000000000000;", std::uint64_t{1} << 63}});
}

TEST(Instructions, conversions_of_floats) {
  check_floats({{"mov.b32 %r1, 16777217; cvt.rn.f32.s32 %f0, %r1;", 16777216.0F},
                {"mov.b32 %r1, 16777217; cvt.rp.f32.s32 %f0, %r1;", 16777218.0F},
                {"mov.b64 %rd1, 0xffffffffffffffff; cvt.rn.f32.u64 %f0, %rd1;", 0x1p64F},
                {"mov.b64 %rd1, 0xffffffffffffffff; cvt.rz.f32.u64 %f0, %rd1;",
                 std::nextafter(0x1p64F, 0.0F)},
                {"cvt.rn.f32.f64 %f0, 0d3ff0000010000000;", 1.0F},
                {"cvt.rp.f32.f64 %f0, 0d3ff0000010000000;", std::nextafter(1.0F, 2.0F)},
                {"cvt.rni.f32.f32 %f0, 0f40200000;", 2.0F},
                {"cvt.sat.f32.f32 %f0, 0f40200000;", 1.0F},
                {"mov.b16 %rs1, 0x0001; cvt.f32.f16 %f0, %rs1;", 0x1p-24F},
                {"mov.b16 %rs1, 0x3f81; cvt.f32.bf16 %f0, %rs1;", 1.0078125F}});
  check_shorts({{"cvt.rn.f16.f32 %rs0, 0f3f801000;", 0x3c00},
                {"cvt.rn.f16.f32 %rs0, 0f3f803000;", 0x3c02},
                {"cvt.rz.f16.f32 %rs0, 0f3f803000;", 0x3c01},
                {"cvt.rn.f16.f32 %rs0, 0f477fefff;", 0x7bff},
                {"cvt.rn.f16.f32 %rs0, 0f477ff000;", 0x7c00},
                {"cvt.rz.f16.f32 %rs0, 0f477ff000;", 0x7bff},
                {"cvt.rn.f16.f32 %rs0, 0f33000000;", 0},
                {"cvt.rn.f16.f32 %rs0, 0f33000001;", 1},
                {"cvt.rn.bf16.f32 %rs0, 0f3f808000;", 0x3f80},
                {"cvt.rn.bf16.f32 %rs0, 0f3f818000;", 0x3f82},
                {"cvt.rn.relu.bf16.f32 %rs0, 0fbf800000;", 0}});
  check_words({{"cvt.rn.f16x2.f32 %r0, 0f3f800000, 0f40000000;", 0x3c004000},
               {"cvt.rn.bf16x2.f32 %r0, 0f3f800000, 0f40000000;", 0x3f804000},
               {"cvt.rna.tf32.f32 %r0, 0f3f801000;", 0x3f802000}});
}

TEST(Instructions, comparisons) {
  check_predicates({{"setp.lt.s32 %p0, -1, 1;", 1},
                    {"setp.lt.u32 %p0, -1, 1;", 0},
                    {"setp.lo.u32 %p0, 1, 2;", 1},
                    {"setp.hs.u32 %p0, 2, 2;", 1},
                    {"setp.eq.f32 %p0, 0f7fffffff, 0f7fffffff;", 0},
                    {"setp.ne.f32 %p0, 0f7fffffff, 0f3f800000;", 0},
                    {"setp.neu.f32 %p0, 0f7fffffff, 0f3f800000;", 1},
                    {"setp.ltu.f32 %p0, 0f7fffffff, 0f3f800000;", 1},
                    {"setp.num.f32 %p0, 0f3f800000, 0f3f800000;", 1},
                    {"setp.nan.f32 %p0, 0f3f800000, 0f7fffffff;", 1},
                    {"setp.eq.s32 %p1, 1, 2; setp.eq.or.s32 %p0, 3, 3, %p1;", 1},
                    {"setp.eq.s32 %p1, 1, 2; setp.eq.and.s32 %p0, 3, 3, !%p1;", 1},
                    {"setp.eq.s32 %p1|%p0, 3, 4;", 1},
                    {"setp.eq.ftz.f32 %p0, 0f00000001, 0f00000000;", 1},
                    {"mov.b16 %rs1, 0x3c00; setp.gt.f16 %p0, %rs1, 0x3800;", 1},
                    {"testp.subnormal.f32 %p0, 0f00000001;", 1},
                    {"testp.infinite.f64 %p0, 0d7ff0000000000000;", 1},
                    {"setp.ne.s32 %p1, 1, 1; not.pred %p0, %p1;", 1},
                    {"setp.eq.s32 %p1, 1, 1; setp.eq.s32 %p2, 1, 2; xor.pred %p0, %p1, %p2;", 1}});
  check_words({{"set.lt.u32.s32 %r0, -1, 1;", 0xffffffff},
               {"set.lt.f32.s32 %f0, -1, 1; mov.b32 %r0, %f0;", 0x3f800000},
               {"slct.s32.s32 %r0, 5, 6, -1;", 6},
               {"slct.u32.f32 %r0, 5, 6, 0f00000000;", 5}});
}

TEST(Instructions, moves_of_parts) {
  check({{"mov.b64 %rd0, {1, 2};", 0x200000001},
         {"mov.b64 %rd1, 0x500000003; mov.b64 {%r1, %r2}, %rd1; cvt.u64.u32 %rd0, %r2;", 5},
         {"mov.b32 %r1, 0x00070009; mov.b32 {_, %rs1}, %r1; cvt.u64.u16 %rd0, %rs1;", 7},
         {"mov.b16 %rs1, 3; mov.b16 %rs2, 4; mov.b32 %r1, {%rs1, %rs2}; cvt.u64.u32 %rd0, %r1;",
          0x40003}});
}

TEST(Instructions, guards_pick_lanes) {
  const auto values = run("setp.lt.u32 %p1, %t, 7; @%p1 mov.u64 %rd0, 5; @!%p1 mov.u64 %rd0, 6;");
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(values[i], i < 7 ? 5U : 6U);
}

TEST(Instructions, special_registers) {
  EXPECT_EQ(run("mov.u32 %r1, %laneid; cvt.u64.u32 %rd0, %r1;", 40)[33], 1U);
  EXPECT_EQ(run("mov.u32 %r1, %warpid; cvt.u64.u32 %rd0, %r1;", 40)[33], 1U);
  EXPECT_EQ(run("mov.u32 %r1, %lanemask_lt; cvt.u64.u32 %rd0, %r1;")[4], 0xfU);
  EXPECT_EQ(run("mov.u32 %r1, %lanemask_ge; cvt.u64.u32 %rd0, %r1;")[31], 0x80000000U);
  EXPECT_EQ(run("mov.u32 %r1, %ntid.x; cvt.u64.u32 %rd0, %r1;", 40)[0], 40U);
}

TEST(Instructions, shuffles) {
  const auto shuffled = [](const std::string& kind, const std::string& operands) {
    return run("shfl.sync." + kind + ".b32 %r1|%p1, %t, " + operands +
               ", 0xffffffff; selp.u32 %r2, 100, 0, %p1; add.u32 %r1, %r1, %r2;"
               "cvt.u64.u32 %rd0, %r1;");
  };
  EXPECT_EQ(shuffled("down", "4, 31")[0], 104U);
  EXPECT_EQ(shuffled("down", "4, 31")[30], 30U);
  EXPECT_EQ(shuffled("up", "4, 0")[9], 105U);
  EXPECT_EQ(shuffled("up", "4, 0")[2], 2U);
  EXPECT_EQ(shuffled("bfly", "3, 31")[5], 106U);
  EXPECT_EQ(shuffled("idx", "7, 31")[20], 107U);
  // Segments of eight lanes.
  EXPECT_EQ(shuffled("idx", "9, 0x181f")[20], 117U);
  EXPECT_EQ(shuffled("down", "6, 0x181f")[5], 5U);
}

TEST(Instructions, votes_matches_and_reductions) {
  EXPECT_EQ(run("setp.lt.u32 %p1, %t, 5; vote.sync.ballot.b32 %r1, %p1, 0xffffffff;"
                "cvt.u64.u32 %rd0, %r1;")[9],
            0x1fU);
  EXPECT_EQ(run("setp.lt.u32 %p1, %t, 5; vote.sync.all.pred %p2, %p1, 0xffffffff;"
                "selp.u64 %rd0, 1, 0, %p2;")[9],
            0U);
  EXPECT_EQ(run("setp.lt.u32 %p1, %t, 5; vote.sync.any.pred %p2, %p1, 0xffffffff;"
                "selp.u64 %rd0, 1, 0, %p2;")[9],
            1U);
  EXPECT_EQ(run("and.b32 %r2, %t, 3; match.any.sync.b32 %r1, %r2, 0xffffffff;"
                "cvt.u64.u32 %rd0, %r1;")[5],
            0x22222222U);
  EXPECT_EQ(run("match.all.sync.b32 %r1|%p1, 7, 0xffffffff; cvt.u64.u32 %rd0, %r1;")[5],
            0xffffffffU);
  EXPECT_EQ(run("redux.sync.add.s32 %r1, %t, 0xffffffff; cvt.u64.u32 %rd0, %r1;")[5], 496U);
  EXPECT_EQ(run("redux.sync.max.u32 %r1, %t, 0xffffffff; cvt.u64.u32 %rd0, %r1;")[5], 31U);
  EXPECT_EQ(run("activemask.b32 %r1; cvt.u64.u32 %rd0, %r1;", 20)[5], 0xfffffU);
}

TEST(Instructions, barriers_that_vote) {
  EXPECT_EQ(
      run("setp.lt.u32 %p1, %t, 35; bar.red.popc.u32 %r1, 0, %p1; cvt.u64.u32 %rd0, %r1;", 64)[50],
      35U);
  EXPECT_EQ(run("setp.lt.u32 %p1, %t, 35; bar.red.or.pred %p2, 0, %p1; selp.u64 %rd0, 1, 0, %p2;",
                64)[50],
            1U);
  EXPECT_EQ(run("setp.lt.u32 %p1, %t, 35; bar.red.and.pred %p2, 0, %p1; selp.u64 %rd0, 1, 0, %p2;",
                64)[2],
            0U);
}

TEST(Instructions, atomics_on_shared_memory) {
  const std::string begin =
      ".shared .align 8 .b8 cell[8]; mov.u64 %rd1, cell; st.shared.u64 [%rd1], 0; bar.sync 0;";
  const std::string end = "bar.sync 0; ld.shared.u64 %rd0, [%rd1];";
  const auto value = [&](const std::string& code) { return run(begin + code + end)[3]; };
  EXPECT_EQ(value("red.shared.add.u32 [%rd1], 2;"), 64U);
  EXPECT_EQ(value("atom.shared.inc.u32 %r1, [%rd1], 4;"), 2U);  // 32 mod 5
  EXPECT_EQ(value("red.shared.max.s32 [%rd1], %t;"), 31U);
  EXPECT_EQ(value("red.shared.or.b32 [%rd1], %t;"), 31U);
  EXPECT_EQ(value("atom.shared.cas.b32 %r1, [%rd1], 0, 9;"), 9U);
  EXPECT_EQ(value("red.shared.add.f32 [%rd1], 0f3f000000;"), std::bit_cast<std::uint32_t>(16.0F));
  EXPECT_EQ(value("red.shared.add.f64 [%rd1], 0d3fe0000000000000;"),
            std::bit_cast<std::uint64_t>(16.0));
  EXPECT_EQ(value("mov.b32 %r2, 0x3c003800; red.shared.add.noftz.f16x2 [%rd1], %r2;"), 0x50004c00U);
  EXPECT_EQ(value("atom.shared.exch.b64 %rd2, [%rd1], 5;"), 5U);
}

TEST(Instructions, generic_addresses_know_their_space) {
  EXPECT_EQ(
      run(".shared .align 4 .b8 cell[4]; mov.u64 %rd1, cell; cvta.shared.u64 %rd2, %rd1;"
          "isspacep.shared %p1, %rd2; isspacep.global %p2, %rd2; isspacep.global %p3, %out;"
          "selp.u64 %rd0, 1, 0, %p1; @%p2 add.u64 %rd0, %rd0, 2; @%p3 add.u64 %rd0, %rd0, 4;")[0],
      5U);
  EXPECT_EQ(run(".local .align 8 .b8 mine[8]; mov.u64 %rd1, mine; cvta.local.u64 %rd2, %rd1;"
                "cvt.u64.u32 %rd3, %t; st.u64 [%rd2], %rd3; ld.local.u64 %rd0, [mine];")[9],
            9U);
}

TEST(Instructions, branches_by_an_index) {
  const auto values = run(R"(
  and.b32 %r1, %t, 3;
  list: .branchtargets a, b, c, b;
  brx.idx %r1, list;
  a: mov.u64 %rd0, 10; bra.uni done;
  b: mov.u64 %rd0, 20; bra.uni done;
  c: mov.u64 %rd0, 30;
  done: activemask.b32 %r2; cvt.u64.u32 %rd2, %r2; shl.b64 %rd2, %rd2, 8; or.b64 %rd0, %rd0, %rd2;)");
  const std::uint64_t all = std::uint64_t{0xffffffff} << 8;
  EXPECT_EQ(values[0], all | 10U);
  EXPECT_EQ(values[1], all | 20U);
  EXPECT_EQ(values[2], all | 30U);
  EXPECT_EQ(values[7], all | 20U);
}

TEST(Instructions, loops_of_unequal_length_meet_again) {
  const auto values = run(R"(
  mov.u32 %r1, 0;
  again: setp.ge.u32 %p1, %r1, %t; @%p1 bra out;
  add.u32 %r1, %r1, 1; bra.uni again;
  out: activemask.b32 %r2; cvt.u64.u32 %rd0, %r2; cvt.u64.u32 %rd1, %r1; shl.b64 %rd1, %rd1, 32;
  or.b64 %rd0, %rd0, %rd1;)");
  for (std::uint64_t i = 0; i < 32; ++i) EXPECT_EQ(values[i], i << 32 | 0xffffffffU);
}

TEST(Instructions, calls_through_registers) {
  Rig rig;
  rig.load(R"(.version 8.0
.target sm_80
.address_size 64
.func (.param .b32 r) one(.param .b32 x) { .reg .b32 %r<2>; ld.param.b32 %r1, [x]; add.u32 %r1, %r1, 1; st.param.b32 [r], %r1; ret; }
.func (.param .b32 r) two(.param .b32 x) { .reg .b32 %r<2>; ld.param.b32 %r1, [x]; add.u32 %r1, %r1, 2; st.param.b32 [r], %r1; ret; }
.visible .entry test(.param .u64 out) {
  .reg .b64 %rd<5>; .reg .b32 %r<5>; .reg .pred %p1; .param .b32 a; .param .b32 r;
  mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 3;
  mov.u64 %rd1, one; mov.u64 %rd2, two; selp.b64 %rd3, %rd1, %rd2, %p1;
  st.param.b32 [a], %r1;
  shape: .callprototype (.param .b32 _) _ (.param .b32 _);
  call (r), %rd3, (a), shape;
  ld.param.b32 %r2, [r];
  ld.param.u64 %rd4, [out]; mad.wide.u32 %rd4, %r1, 4, %rd4; st.global.u32 [%rd4], %r2; ret; })");
  const auto out = rig.array<std::uint32_t>(8);
  rig.launch("test", {1}, {8}, out);
  EXPECT_THAT(out.get(), ::testing::ElementsAre(1, 2, 3, 5, 6, 7, 8, 9));
}

TEST(Instructions, a_form_that_is_not_there_is_a_fault_where_it_stands) {
  Rig rig;
  rig.load(kernel_text("  add.s32 %r1, %t, 1;\n  wgmma.fence.sync.aligned;"));
  const auto out = rig.array<std::uint64_t>(32);
  const FaultReport report = fault_of([&] { rig.launch("test", {1}, {32}, out); });
  EXPECT_EQ(report.kind, FaultKind::kUnsupported);
  EXPECT_EQ(report.text, "the form 'wgmma.fence.sync.aligned' is not there: .fence");
  EXPECT_EQ(report.ptx_line, 15U);
}

}  // namespace
}  // namespace loci::cuda_double
