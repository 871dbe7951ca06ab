#include "kernels.h"

namespace loci::cuda_rules {

const char* const kKernels = R"ptx(
.version 8.0
.target sm_75
.address_size 64

.visible .global .align 4 .u32 counter = 5;
.visible .global .align 8 .b8 table[64];
.visible .const .align 4 .u32 factor = 11;
.extern .shared .align 4 .b8 dynamic_words[];

.visible .entry store(.param .u64 store_address, .param .u32 store_value)
{
  .reg .b32 %r<2>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [store_address];
  ld.param.u32 %r1, [store_value];
  cvta.to.global.u64 %rd2, %rd1;
  st.global.u32 [%rd2], %r1;
  ret;
}

.visible .entry increment(.param .u64 increment_address)
{
  .reg .b32 %r<2>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [increment_address];
  cvta.to.global.u64 %rd2, %rd1;
  atom.global.add.u32 %r1, [%rd2], 1;
  ret;
}

.visible .entry spin(.param .u64 spin_flag)
{
  .reg .pred %p<2>;
  .reg .b32 %r<2>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [spin_flag];
  cvta.to.global.u64 %rd2, %rd1;
$again:
  ld.volatile.global.u32 %r1, [%rd2];
  setp.eq.u32 %p1, %r1, 0;
  @%p1 bra $again;
  ret;
}

.visible .entry index(.param .u64 index_address)
{
  .reg .b32 %r<5>;
  .reg .b64 %rd<5>;
  ld.param.u64 %rd1, [index_address];
  cvta.to.global.u64 %rd2, %rd1;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.s32 %r4, %r1, %r2, %r3;
  mul.wide.u32 %rd3, %r4, 4;
  add.s64 %rd4, %rd2, %rd3;
  st.global.u32 [%rd4], %r4;
  ret;
}

.visible .entry dynamic_shared(.param .u64 dynamic_address, .param .u32 dynamic_count)
{
  .reg .pred %p<3>;
  .reg .b32 %r<12>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [dynamic_address];
  ld.param.u32 %r1, [dynamic_count];
  cvta.to.global.u64 %rd2, %rd1;
  mov.u32 %r2, dynamic_words;
  mov.u32 %r3, 0;
  mov.u32 %r4, 0;
$fill:
  setp.ge.u32 %p1, %r3, %r1;
  @%p1 bra $filled;
  shl.b32 %r5, %r3, 2;
  add.u32 %r6, %r2, %r5;
  st.shared.u32 [%r6], %r3;
  add.u32 %r3, %r3, 1;
  bra.uni $fill;
$filled:
  mov.u32 %r3, 0;
$add:
  setp.ge.u32 %p2, %r3, %r1;
  @%p2 bra $added;
  shl.b32 %r7, %r3, 2;
  add.u32 %r8, %r2, %r7;
  ld.shared.u32 %r9, [%r8];
  add.u32 %r4, %r4, %r9;
  add.u32 %r3, %r3, 1;
  bra.uni $add;
$added:
  st.global.u32 [%rd2], %r4;
  ret;
}

.visible .entry static_shared(.param .u64 static_address)
{
  .shared .align 4 .b8 static_words[4096];
  .reg .b32 %r<6>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [static_address];
  cvta.to.global.u64 %rd2, %rd1;
  mov.u32 %r1, static_words;
  mov.u32 %r2, %tid.x;
  shl.b32 %r3, %r2, 2;
  add.u32 %r4, %r1, %r3;
  st.shared.u32 [%r4], %r2;
  bar.sync 0;
  ld.shared.u32 %r5, [%r4];
  st.global.u32 [%rd2], %r5;
  ret;
}

.visible .entry pair(.param .u64 pair_address, .param .align 8 .b8 pair_value[16])
{
  .reg .b32 %r<4>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [pair_address];
  ld.param.u64 %rd3, [pair_value];
  ld.param.u32 %r1, [pair_value+8];
  cvta.to.global.u64 %rd2, %rd1;
  cvt.u32.u64 %r2, %rd3;
  add.u32 %r3, %r1, %r2;
  st.global.u32 [%rd2], %r3;
  ret;
}

.visible .entry bounded()
.maxntid 128, 1, 1
{
  ret;
}

.visible .entry exact()
.reqntid 64, 1, 1
{
  ret;
}

.visible .entry empty()
{
  ret;
}

.visible .entry bump()
{
  .reg .b32 %r<3>;
  ld.global.u32 %r1, [counter];
  add.u32 %r2, %r1, 1;
  st.global.u32 [counter], %r2;
  ret;
}

.visible .entry read_constant(.param .u64 constant_address)
{
  .reg .b32 %r<2>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [constant_address];
  cvta.to.global.u64 %rd2, %rd1;
  ld.const.u32 %r1, [factor];
  st.global.u32 [%rd2], %r1;
  ret;
}

.visible .entry trap()
{
  trap;
  ret;
}
)ptx";

const char* const kLoopKernel = R"ptx(
.version 8.3
.target sm_75
.address_size 64

.extern .func cudaGraphSetConditional(.param .b64 condition_handle, .param .b32 condition_value);

.visible .entry loop(.param .u64 loop_address, .param .u64 loop_handle)
{
  .reg .pred %p<2>;
  .reg .b32 %r<4>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [loop_address];
  ld.param.u64 %rd3, [loop_handle];
  cvta.to.global.u64 %rd2, %rd1;
  ld.global.u32 %r1, [%rd2];
  sub.u32 %r2, %r1, 1;
  st.global.u32 [%rd2], %r2;
  setp.ne.u32 %p1, %r2, 0;
  selp.u32 %r3, 1, 0, %p1;
  {
  .param .b64 handle_argument;
  .param .b32 value_argument;
  st.param.b64 [handle_argument], %rd3;
  st.param.b32 [value_argument], %r3;
  call.uni cudaGraphSetConditional, (handle_argument, value_argument);
  }
  ret;
}
)ptx";

const char* const kAssertKernel = R"ptx(
.version 8.0
.target sm_75
.address_size 64

.extern .func __assertfail(.param .b64 a0, .param .b64 a1, .param .b32 a2, .param .b64 a3, .param .b64 a4);
.global .align 1 .b8 message[6] = {102, 97, 108, 115, 101, 0};
.global .align 1 .b8 file[8] = {102, 97, 105, 108, 46, 99, 117, 0};
.global .align 1 .b8 function[5] = {102, 97, 105, 108, 0};

.visible .entry fail()
{
  .reg .b32 %r<2>;
  .reg .b64 %rd<8>;
  mov.u64 %rd1, message;
  cvta.global.u64 %rd2, %rd1;
  mov.u64 %rd3, file;
  cvta.global.u64 %rd4, %rd3;
  mov.u64 %rd5, function;
  cvta.global.u64 %rd6, %rd5;
  mov.u32 %r1, 12;
  mov.u64 %rd7, 1;
  {
  .param .b64 p0;
  .param .b64 p1;
  .param .b32 p2;
  .param .b64 p3;
  .param .b64 p4;
  st.param.b64 [p0], %rd2;
  st.param.b64 [p1], %rd4;
  st.param.b32 [p2], %r1;
  st.param.b64 [p3], %rd6;
  st.param.b64 [p4], %rd7;
  call.uni __assertfail, (p0, p1, p2, p3, p4);
  }
  ret;
}
)ptx";

const char* const kCallerKernel = R"ptx(
.version 8.0
.target sm_75
.address_size 64

.extern .func (.param .b32 twice_result) twice(.param .b32 twice_value);

.visible .entry call_twice(.param .u64 call_address, .param .u32 call_value)
{
  .reg .b32 %r<3>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [call_address];
  ld.param.u32 %r1, [call_value];
  cvta.to.global.u64 %rd2, %rd1;
  {
  .param .b32 argument;
  .param .b32 result;
  st.param.b32 [argument], %r1;
  call.uni (result), twice, (argument);
  ld.param.b32 %r2, [result];
  }
  st.global.u32 [%rd2], %r2;
  ret;
}
)ptx";

const char* const kCalledFunction = R"ptx(
.version 8.0
.target sm_75
.address_size 64

.visible .func (.param .b32 twice_result) twice(.param .b32 twice_value)
{
  .reg .b32 %r<3>;
  ld.param.b32 %r1, [twice_value];
  shl.b32 %r2, %r1, 1;
  st.param.b32 [twice_result], %r2;
  ret;
}
)ptx";

}  // namespace loci::cuda_rules
