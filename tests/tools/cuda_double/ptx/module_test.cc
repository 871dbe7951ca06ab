// Tests what is taken as PTX, and what is refused with which words.
#include "tools/cuda_double/ptx/module.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tools/cuda_double/ptx/rig.h"
#include "tools/cuda_double/ptx/ptx_error.h"

namespace loci::cuda_double {
namespace {

using ::testing::HasSubstr;

std::string refusal(std::string_view text, std::uint32_t capability = 90) {
  DeviceMemory memory({.reserved_bytes = std::uint64_t{16} << 20});
  try {
    (void)Module::load(text, memory, {.name = "bad.ptx", .compute_capability = capability});
  } catch (const PtxError& error) {
    EXPECT_TRUE(memory.live().empty());
    return error.what();
  }
  return "taken";
}

std::string with_body(const std::string& body) { return refusal(kernel_text(body)); }

constexpr std::string_view kHead = ".version 8.0\n.target sm_80\n.address_size 64\n";

std::string with_head(const std::string& rest) { return refusal(std::string(kHead) + rest); }

TEST(Module, refuses_what_is_no_ptx) {
  EXPECT_EQ(refusal(""), "[bad.ptx:1] expected .version, but there is the end of the text");
  EXPECT_THAT(refusal("\x7f"
                      "ELF"),
              HasSubstr("no PTX"));
  EXPECT_THAT(refusal(".version nine"), HasSubstr("expected a version such as 9.0"));
  EXPECT_THAT(refusal(".version 8.0"), HasSubstr("expected .target"));
  EXPECT_THAT(refusal(".version 8.0 .target x"), HasSubstr("expected a target such as sm_90"));
  EXPECT_THAT(refusal(".version 8.0\n.target sm_80\n.address_size 32"),
              HasSubstr("[bad.ptx:3] only addresses of 64 bits"));
}

TEST(Module, refuses_what_is_newer) {
  EXPECT_THAT(refusal(".version 9.1\n.target sm_90"),
              HasSubstr("is PTX ISA 9.1, and 9.0 is the newest that is known"));
  EXPECT_THAT(refusal(".version 8.0\n.target sm_90\n", 80),
              HasSubstr("is for sm_90, and the device is sm_80"));
}

TEST(Module, refuses_every_truncation) {
  const std::string text = kernel_text("  add.s32 %r1, %t, 1;\n  st.u32 [%at], %r1;\n");
  const std::size_t end = text.rfind('}');
  for (std::size_t length = text.find(".visible") + 2; length <= end; ++length) {
    EXPECT_NE(refusal(std::string_view(text).substr(0, length)), "taken") << length;
  }
  EXPECT_EQ(refusal(text), "taken");
}

TEST(Module, refuses_unknown_names) {
  EXPECT_THAT(with_body("  frobnicate.u32 %r1, %r2;"),
              HasSubstr("frobnicate.u32: there is no such"));
  EXPECT_THAT(with_body("  add.s32 %r1, %r2, %q3;"), HasSubstr("'%q3' is not declared"));
  EXPECT_THAT(with_body("  add.s32 %r64, %r2, 1;"), HasSubstr("'%r64' is no register"));
  EXPECT_THAT(with_body("  bra nowhere;"), HasSubstr("there is no label 'nowhere'"));
  EXPECT_THAT(with_body("  @%r1 bra nowhere;"), HasSubstr("'%r1' is no predicate"));
  EXPECT_THAT(with_body("  call.uni missing, ();"), HasSubstr("there is no function 'missing'"));
  EXPECT_THAT(with_body("  ld.global.u32 %r1, [symbol];"), HasSubstr("'symbol' is not declared"));
}

TEST(Module, names_the_line) {
  EXPECT_THAT(with_body("\n\n  bra nowhere;"), HasSubstr("[bad.ptx:16] bra: there is no"));
}

TEST(Module, refuses_wrong_types) {
  EXPECT_THAT(with_body("  add.s32 %r1, %f1, 1;"), HasSubstr("register of .f32, and .s32"));
  EXPECT_THAT(with_body("  .reg .s32 %i1;\n  add.f32 %f1, %i1, %f2;"),
              HasSubstr("register of .s32, and .f32"));
  EXPECT_THAT(with_body("  add.s64 %rd1, %r1, 1;"), HasSubstr("'%r1' has 4 bytes, and .s64 has 8"));
  EXPECT_THAT(with_body("  add.s32 %rd1, %r1, 1;"), HasSubstr("'%rd1' has 8 bytes"));
  EXPECT_THAT(with_body("  selp.b32 %r1, %r2, %r3, %r4;"), HasSubstr("and .pred is expected"));
  EXPECT_THAT(with_body("  add.f32 %f1, %f2, 1;"), HasSubstr("the integer 1 is no .f32"));
  EXPECT_THAT(with_body("  add.s32 %r1, %r2;"), HasSubstr("has 2 operands, and 3 are expected"));
  EXPECT_THAT(with_body("  ld.global.u32 %r1, %rd1;"), HasSubstr("an address in brackets"));
  EXPECT_THAT(with_body("  ld.global.u64 %r1, [%rd1];"), HasSubstr("smaller than what is loaded"));
  EXPECT_THAT(with_body("  ld.global.v2.u32 {%r1}, [%rd1];"), HasSubstr("1 registers, and 2"));
}

TEST(Module, refuses_what_is_declared_twice) {
  EXPECT_THAT(with_body("here:\nhere:"), HasSubstr("the label 'here' stands twice"));
  EXPECT_THAT(with_body("  .reg .b32 x;\n  .reg .b32 x;"), HasSubstr("'x' is declared twice"));
  EXPECT_THAT(with_head(".global .u32 v;\n.global .u32 v;\n"), HasSubstr("'v' is declared twice"));
  EXPECT_THAT(with_head(".visible .entry k() { ret; }\n.visible .entry k() { ret; }\n"),
              HasSubstr("the function 'k' is defined twice"));
}

TEST(Module, refuses_sizes_that_cannot_be) {
  EXPECT_THAT(with_head(".global .b8 v[99999999999];"), HasSubstr("'v' is too large"));
  EXPECT_THAT(with_head(".global .align 3 .b8 v[4];"), HasSubstr("an alignment of 3 cannot be"));
  EXPECT_THAT(with_head(".visible .entry k(.param .b8 big[40000]) { ret; }"),
              HasSubstr("more than 32764 bytes of parameters"));
  EXPECT_THAT(with_body("  .reg .b32 %x<99999999>;"), HasSubstr("too many registers"));
  EXPECT_THAT(with_head(".global .u32 v[1] = {1, 2};"), HasSubstr("more values than elements"));
}

TEST(Module, refuses_externals_that_nothing_defines) {
  EXPECT_THAT(with_head(".extern .global .u32 v;"),
              HasSubstr("nothing defines the external variable 'v'"));
}

TEST(Module, refuses_calls_with_other_arguments) {
  const std::string callee = ".func f(.param .b32 x) { ret; }\n";
  EXPECT_THAT(with_head(callee + ".visible .entry k() { call f; ret; }"),
              HasSubstr("has 0 arguments, and 1 are expected"));
  EXPECT_THAT(with_head(callee + ".visible .entry k() { .param .b64 a; call f, (a); ret; }"),
              HasSubstr("arguments 1 has 8 bytes, and 4 are expected"));
}

TEST(Module, has_what_a_launcher_asks_for) {
  DeviceMemory memory({.reserved_bytes = std::uint64_t{16} << 20});
  const auto module = Module::load(std::string(kHead) + R"(
.visible .global .align 8 .u64 table[3] = {1, 2, there};
.global .f32 there = 0f3f800000;
.visible .const .s32 fixed = -5;
.visible .entry first(.param .u32 a, .param .u64 b, .param .align 16 .b8 c[24])
.maxntid 256, 1, 1
.minnctapersm 2
{
  .shared .align 16 .b8 tile[1000];
  ret;
}
.visible .entry second() .reqntid 32, 2, 1 { ret; }
)",
                                   memory, {});
  ASSERT_EQ(module->functions().size(), 2U);
  const Function& first = *module->function("first");
  ASSERT_EQ(first.parameters().size(), 3U);
  EXPECT_EQ(first.parameters()[1].offset, 8U);
  EXPECT_EQ(first.parameters()[2].offset, 16U);
  EXPECT_EQ(first.attributes().parameter_bytes, 40U);
  EXPECT_EQ(first.attributes().static_shared_bytes, 1000U);
  EXPECT_EQ(first.attributes().max_threads, 256U);
  EXPECT_EQ(first.attributes().min_blocks, 2U);
  EXPECT_EQ(module->function("second")->attributes().required_block->y, 2U);
  EXPECT_EQ(module->function("third"), nullptr);
  const auto table = module->variable("table");
  ASSERT_TRUE(table.has_value());
  const auto* words = reinterpret_cast<const std::uint64_t*>(table->address);
  EXPECT_EQ(words[1], 2U);
  EXPECT_EQ(words[2], module->variable("there")->address);
  EXPECT_TRUE(module->variable("fixed")->is_constant);
  EXPECT_EQ(*reinterpret_cast<const std::int32_t*>(module->variable("fixed")->address), -5);
}

TEST(Module, frees_its_variables) {
  DeviceMemory memory({.reserved_bytes = std::uint64_t{16} << 20});
  auto module = Module::load(std::string(kHead) + ".global .u32 v;", memory, {});
  EXPECT_EQ(memory.live().size(), 1U);
  module.reset();
  EXPECT_TRUE(memory.live().empty());
}

TEST(Module, links_several_texts) {
  DeviceMemory memory({.reserved_bytes = std::uint64_t{16} << 20});
  const std::string user = std::string(kHead) + R"(
.extern .func (.param .b32 r) twice(.param .b32 x);
.extern .global .u32 result;
.visible .entry k() {
  .reg .b32 %r<2>;
  .param .b32 a;
  .param .b32 r;
  st.param.b32 [a], 21;
  call (r), twice, (a);
  ld.param.b32 %r1, [r];
  st.global.u32 [result], %r1;
  ret;
})";
  const std::string provider = std::string(kHead) + R"(
.visible .global .u32 result;
.visible .func (.param .b32 r) twice(.param .b32 x) {
  .reg .b32 %r<2>;
  ld.param.b32 %r1, [x];
  add.u32 %r1, %r1, %r1;
  st.param.b32 [r], %r1;
  ret;
})";
  const std::vector<std::string_view> texts{user, provider};
  const auto module = Module::link(texts, memory, {});
  LaunchConfig config;
  launch(*module->function("k"), config, memory);
  EXPECT_EQ(*reinterpret_cast<const std::uint32_t*>(module->variable("result")->address), 42U);
}

TEST(Module, says_which_forms_are_not_there) {
  DeviceMemory memory({.reserved_bytes = std::uint64_t{16} << 20});
  const auto module = Module::load(
      kernel_text("  setp.eq.u32 %p1, %t, 5;\n  @%p1 wgmma.fence.sync.aligned;\n"), memory, {});
  const auto forms = module->function("test")->unsupported();
  ASSERT_EQ(forms.size(), 1U);
  EXPECT_EQ(forms[0].instruction, "wgmma.fence.sync.aligned");
}

}  // namespace
}  // namespace loci::cuda_double
