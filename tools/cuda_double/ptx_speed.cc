// Prints how many instructions of single lanes the interpreter executes a second on one core,
// without and with all checks.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <span>
#include <vector>

#include "tools/cuda_double/ptx/launch.h"

namespace loci::cuda_double {
namespace {

// A loop as kernels have them: arithmetic, shared memory with a barrier, and global memory.
constexpr std::string_view kLoop = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry loop(.param .u64 data, .param .u32 rounds) {
  .reg .b64 %rd<8>;
  .reg .b32 %r<16>;
  .reg .f32 %f<8>;
  .reg .pred %p<2>;
  .shared .align 4 .b8 tile[1024];
  ld.param.u64 %rd1, [data];
  ld.param.u32 %r1, [rounds];
  mov.u32 %r2, %tid.x;
  mov.u32 %r3, %ctaid.x;
  mad.lo.u32 %r4, %r3, 256, %r2;
  mad.wide.u32 %rd2, %r4, 4, %rd1;
  mov.u32 %r5, tile;
  mad.lo.u32 %r6, %r2, 4, %r5;
again:
  ld.global.f32 %f1, [%rd2];
  fma.rn.f32 %f2, %f1, 0f3f000000, 0f3e800000;
  st.shared.f32 [%r6], %f2;
  bar.sync 0;
  xor.b32 %r7, %r6, 128;
  ld.shared.f32 %f3, [%r7];
  add.f32 %f4, %f3, %f2;
  mul.f32 %f4, %f4, 0f3f000000;
  max.f32 %f4, %f4, 0f00000000;
  st.global.f32 [%rd2], %f4;
  bar.sync 0;
  shl.b32 %r8, %r1, 3;
  and.b32 %r9, %r8, %r4;
  add.s32 %r10, %r9, %r8;
  setp.lt.s32 %p1, %r10, 0;
  selp.b32 %r11, %r10, %r9, %p1;
  sub.s32 %r1, %r1, 1;
  setp.gt.s32 %p1, %r1, 0;
  @%p1 bra again;
  ret;
}
)";

constexpr std::uint32_t kBlocks = 8;
constexpr std::uint32_t kThreads = 256;

struct LoopParameters {
  std::uint64_t data;
  std::uint32_t rounds;
};

// Lane-instructions a second of the processor's time, which others cannot take away; the median of
// a few runs.
double measure(const Checks& checks, std::uint32_t rounds) {
  DeviceMemory memory({.reserved_bytes = std::uint64_t{64} << 20});
  const auto module = Module::load(kLoop, memory, {});
  const std::uint64_t bytes = std::uint64_t{kBlocks} * kThreads * sizeof(float);
  const std::uint64_t data = memory.allocate(bytes, MemoryKind::kDevice, 0, "ptx_speed");
  std::fill_n(reinterpret_cast<float*>(data), bytes / sizeof(float), 1.0F);
  memory.mark_written(data, bytes);
  const LoopParameters parameters{data, rounds};
  LaunchConfig config;
  config.grid.x = kBlocks;
  config.block.x = kThreads;
  config.parameters = std::as_bytes(std::span(&parameters, 1)).subspan(0, 12);
  config.checks = checks;
  std::vector<double> speeds;
  for (int i = 0; i < 5; ++i) {
    const std::clock_t begin = std::clock();
    const Counters counters = launch(*module->function("loop"), config, memory);
    const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    speeds.push_back(static_cast<double>(counters.lane_instructions) / seconds);
  }
  std::sort(speeds.begin(), speeds.end());
  return speeds[speeds.size() / 2];
}

void run() {
  const double bare = measure(Checks::none(), 2000);
  const double checked = measure(Checks(), 200);
  fmt::print("emulated; million lane-instructions a second on one core\n");
  fmt::print("  without checks {:8.1f}   (at least 50)\n", bare / 1e6);
  fmt::print("  all checks     {:8.1f}   (at least 10)\n", checked / 1e6);
}

}  // namespace
}  // namespace loci::cuda_double

int main() {
  try {
    loci::cuda_double::run();
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
