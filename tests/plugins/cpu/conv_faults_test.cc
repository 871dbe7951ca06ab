#include "plugins/cpu/onednn/conv_faults.h"

#include <gtest/gtest.h>
#include <omp.h>

#include <cstring>
#include <oneapi/dnnl/dnnl.hpp>
#include <string_view>
#include <vector>

#include "plugins/cpu/canary_block.h"
#include "tests/plugins/cpu/cpu_plugin.h"

namespace loci::cpu::onednn {
namespace {

using dnnl::memory;
using Tag = memory::format_tag;

// The images are 8 high.
ConvPart part_of(std::int64_t channels, std::int64_t kernel, std::int64_t stride,
                 std::int64_t dilation, std::int64_t width = 16, std::int64_t groups = 1) {
  const std::vector<std::int64_t> image{2, channels * groups, 8, width};
  const std::vector<std::int64_t> filter{16 * groups, channels, kernel, kernel};
  sdk::ConvOptions options;
  options.groups = groups;
  options.window.paddings = {2, 2};
  options.window.strides = {stride, stride};
  options.window.dilations = {dilation, dilation};
  options.window.padding_algorithm = kernel == 1 ? "VALID" : "EXPLICIT";
  return conv_part(
      sdk::conv_shape({image.data(), image.size()}, {filter.data(), filter.size()}, options),
      CutAxis::kWhole, {0, 0});
}

bool is_faulty(const FilterGradPrimitive& primitive, const ConvPart& part) {
  return !filter_grad_fault(primitive, part).empty();
}

TEST(ConvFaults, LeaveStridedPixelsOfFewerChannelsThanABlock) {
  const FilterGradPrimitive avx2{"jit_1x1:avx2", true, false, 8};
  EXPECT_TRUE(is_faulty(avx2, part_of(7, 1, 2, 1)));
  EXPECT_FALSE(is_faulty(avx2, part_of(8, 1, 2, 1)));
  EXPECT_FALSE(is_faulty(avx2, part_of(7, 1, 1, 1)));
  EXPECT_FALSE(is_faulty({"jit_1x1:avx2", false, false, 8}, part_of(7, 1, 2, 1)));
  EXPECT_FALSE(is_faulty({"jit:avx2", true, false, 8}, part_of(7, 1, 2, 1)));
  EXPECT_TRUE(is_faulty({"jit_1x1:avx512_core", true, false, 16}, part_of(15, 1, 2, 1)));
  EXPECT_TRUE(is_faulty({"jit_bf16_1x1:avx512_core_bf16", true, true, 16}, part_of(8, 1, 2, 1)));
}

TEST(ConvFaults, LeaveBfloat16WithDilationWhereChannelsFillNoBlock) {
  const FilterGradPrimitive bf16{"jit_bf16:avx512_core_bf16", true, true, 16};
  EXPECT_TRUE(is_faulty(bf16, part_of(4, 3, 1, 2, 40, 2)));
  EXPECT_FALSE(is_faulty(bf16, part_of(4, 3, 1, 1, 40, 2)));
  EXPECT_FALSE(is_faulty(bf16, part_of(16, 3, 1, 2, 40, 2)));
  EXPECT_FALSE(is_faulty({"jit_bf16:avx512_core_bf16", false, true, 16}, part_of(4, 3, 1, 2)));
  EXPECT_FALSE(is_faulty({"jit:avx512_core", true, false, 16}, part_of(4, 3, 1, 2, 40, 2)));
}

TEST(ConvFaults, LeaveBfloat16OfImagesNarrowerThanTheStride) {
  for (const bool reads_nhwc : {true, false}) {
    const FilterGradPrimitive bf16{"jit_bf16:avx512_core_bf16", reads_nhwc, true, 16};
    EXPECT_TRUE(is_faulty(bf16, part_of(32, 5, 3, 1, 2)));
    EXPECT_FALSE(is_faulty(bf16, part_of(32, 5, 3, 1, 3)));
  }
  EXPECT_FALSE(is_faulty({"jit:avx512_core", true, false, 16}, part_of(32, 5, 3, 1, 2)));
}

// The library alone, in the smallest form: what conv_faults.cc says of it holds still, else it need
// not be left any more.
TEST(ConvFaults, OneDnnWritesBehindItsScratchpad) {
  testing::cpu_plugin();  // which limits the instruction set, while oneDNN lets it
  const auto isa = static_cast<unsigned>(dnnl::get_effective_cpu_isa());
  constexpr auto kAvx2 = static_cast<unsigned>(dnnl::cpu_isa::avx2);
  if ((isa & kAvx2) != kAvx2) GTEST_SKIP() << "it has no such primitive";
  const int threads = omp_get_max_threads();
  omp_set_num_threads(1);
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  const auto type = memory::data_type::f32;
  const memory::desc x({1, 2, 10, 18}, type, Tag::nhwc);
  const memory::desc filter({16, 2, 1, 1}, type, Tag::any);
  const memory::desc out({1, 16, 10, 9}, type, Tag::nhwc);
  const Windows windows{{1, 1}, {1, 2}, {0, 0}, {0, 0}, {0, 0}};
#if DNNL_VERSION_MAJOR >= 3
  GTEST_SKIP() << "this is for oneDNN 2";
#else
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  constexpr auto kDirect = dnnl::algorithm::convolution_direct;
  const dnnl::convolution_forward::primitive_desc forward(
      {dnnl::prop_kind::forward_training, kDirect, x, filter, out, windows.strides,
       windows.dilations, windows.before, windows.after},
      engine);
  const dnnl::convolution_backward_weights::primitive_desc desc(
      {kDirect, x, filter, out, windows.strides, windows.dilations, windows.before, windows.after},
      attributes, engine, forward);
  if (std::string_view(desc.impl_info_str()).find("avx2") == std::string_view::npos) {
    omp_set_num_threads(threads);
    GTEST_SKIP() << desc.impl_info_str() << " was never seen to";
  }
  const auto block_of = [](const memory::desc& layout) {
    CanaryBlock block(layout.get_size(), nullptr);
    std::memset(block.data(), 0, block.bytes());
    return block;
  };
  const CanaryBlock x_data = block_of(x);
  const CanaryBlock out_data = block_of(out);
  const CanaryBlock filter_data = block_of(desc.diff_weights_desc());
  const CanaryBlock scratchpad = block_of(desc.scratchpad_desc());
  dnnl::stream stream(engine);
  dnnl::convolution_backward_weights(desc).execute(
      stream, {{DNNL_ARG_SRC, {x, engine, x_data.data()}},
               {DNNL_ARG_DIFF_DST, {out, engine, out_data.data()}},
               {DNNL_ARG_DIFF_WEIGHTS, {desc.diff_weights_desc(), engine, filter_data.data()}},
               {DNNL_ARG_SCRATCHPAD, {desc.scratchpad_desc(), engine, scratchpad.data()}}});
  stream.wait();
  omp_set_num_threads(threads);
  EXPECT_FALSE(x_data.damage() || out_data.damage() || filter_data.damage());
  EXPECT_TRUE(scratchpad.damage().has_value()) << desc.impl_info_str() << " is right now";
#endif
}

}  // namespace
}  // namespace loci::cpu::onednn
