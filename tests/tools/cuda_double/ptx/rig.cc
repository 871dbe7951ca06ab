#include "tests/tools/cuda_double/ptx/rig.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

namespace loci::cuda_double {

std::string missing_kernels() {
#ifdef LOCI_KERNELS
  return "";
#else
  return "there was no nvcc when the tests were built";
#endif
}

void Rig::load_kernels(const std::string& name) {
#ifdef LOCI_KERNELS
  const std::string path = std::string(LOCI_KERNELS) + "/" + name + ".ptx";
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  module = Module::load(text, memory, {.name = name + ".ptx"});
#else
  throw std::runtime_error(name + ": " + missing_kernels());
#endif
}

std::vector<float> noise(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::uniform_real_distribution<float> distribution(-1.0F, 1.0F);
  std::vector<float> values(count);
  for (float& value : values) value = distribution(engine);
  return values;
}

std::string kernel_text(const std::string& body) {
  return fmt::format(R"(.version 8.0
.target sm_75
.address_size 64
.visible .entry test(.param .u64 test_out) {{
  .reg .b64 %out, %at, %rd<32>;
  .reg .b32 %t, %r<64>;
  .reg .b16 %rs<32>;
  .reg .f32 %f<32>;
  .reg .f64 %fd<32>;
  .reg .pred %p<16>;
  ld.param.u64 %out, [test_out];
  mov.u32 %t, %tid.x;
  mad.wide.u32 %at, %t, 8, %out;
{}
  ret;
}}
)",
                     body);
}

}  // namespace loci::cuda_double
