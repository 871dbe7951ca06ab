#include "plugins/cpu/onednn/engine.h"

#include <omp.h>

#include <algorithm>
#include <string>
#include <utility>

#include "plugins/cpu/onednn/primitives.h"

namespace loci::cpu::onednn {
namespace {

using dnnl::memory;

constexpr std::uint64_t kAlignment = 64;
// Generated code and descriptors of one. Resident memory grows by 56 KiB for a product, 22 KiB for
// a softmax, and 90 to 100 KiB for a convolution with its reorders (oneDNN 2.6, AVX-512).
constexpr std::uint64_t kPrimitiveBytes = std::uint64_t{64} << 10;
constexpr std::uint64_t kReorderBytes = std::uint64_t{24} << 10;

// A primitive has to run with as many threads as it was made for: its scratchpad has room for no
// more. The number belongs to the calling thread.
class ThreadCount {
 public:
  explicit ThreadCount(int threads)
      : previous_(omp_get_max_threads()), changes_(previous_ != threads) {
    if (changes_) omp_set_num_threads(threads);
  }
  ~ThreadCount() {
    if (changes_) omp_set_num_threads(previous_);
  }
  ThreadCount(const ThreadCount&) = delete;
  ThreadCount& operator=(const ThreadCount&) = delete;

 private:
  int previous_;
  bool changes_;
};

}  // namespace

const dnnl::engine& engine() {
  static const dnnl::engine instance(dnnl::engine::kind::cpu, 0);
  return instance;
}

namespace {

// Sets that have no name here are newer than this; their number tells them apart.
std::string isa_text(dnnl::cpu_isa isa) {
  switch (isa) {
    case dnnl::cpu_isa::sse41: return "sse41";
    case dnnl::cpu_isa::avx: return "avx";
    case dnnl::cpu_isa::avx2: return "avx2";
    case dnnl::cpu_isa::avx512_core: return "avx512_core";
    case dnnl::cpu_isa::avx512_core_vnni: return "avx512_core_vnni";
    case dnnl::cpu_isa::avx512_core_bf16: return "avx512_core_bf16";
    default: return "instruction set " + std::to_string(static_cast<int>(isa));
  }
}

dnnl::cpu_isa isa_of(kernels::Isa isa) {
  switch (isa) {
    case kernels::Isa::kAvx512: return dnnl::cpu_isa::avx512_core;
    case kernels::Isa::kAvx2: return dnnl::cpu_isa::avx2;
    case kernels::Isa::kBaseline: break;
  }
  return dnnl::cpu_isa::sse41;
}

}  // namespace

void limit_isa(kernels::Isa most) {
  if (dnnl::set_max_cpu_isa(isa_of(most)) == dnnl::status::success) return;
  throw sdk::Error(LOCI_CODE_FAILED,
                   "[cpu] oneDNN takes no limit of instruction sets any more; set "
                   "ONEDNN_MAX_CPU_ISA instead of the option isa");
}

std::string_view version_text() {
  static const std::string text = [] {
    const dnnl_version_t& version = *dnnl_version();
    return "oneDNN " + std::to_string(version.major) + "." + std::to_string(version.minor) + "." +
           std::to_string(version.patch) + ", " + isa_text(dnnl::get_effective_cpu_isa());
  }();
  return text;
}

namespace {

// Loops in plain C++, which ours are faster than: "ref:any", "simple_nchw:any".
bool is_plain(std::string_view implementation) {
  return implementation.substr(0, 3) == "ref" || implementation.substr(0, 6) == "simple";
}

}  // namespace

std::optional<Execution> Execution::of(const Elements& elements, const dnnl::primitive& primitive,
                                       const char* implementation, const memory::desc& scratchpad) {
  if (is_plain(implementation)) return std::nullopt;
  return Execution(elements, primitive, scratchpad);
}

Execution::Execution(const Elements& elements, dnnl::primitive primitive,
                     const memory::desc& scratchpad)
    : elements_(elements),
      primitive_(std::move(primitive)),
      stream_(engine()),
      scratchpad_(scratchpad),
      scratchpad_offset_(reserve(scratchpad)),
      threads_(omp_get_max_threads()) {}

std::uint64_t Execution::reserve(const memory::desc& desc) {
  const std::uint64_t offset = workspace_bytes_;
  workspace_bytes_ += (desc.get_size() + kAlignment - 1) / kAlignment * kAlignment;
  return offset;
}

void Execution::bind_input(int argument, std::uint32_t index, const memory::desc& given,
                           const memory::desc& chosen) {
  bind({argument, index, false, given, chosen});
}

void Execution::bind_output(int argument, std::uint32_t index, const memory::desc& given,
                            const memory::desc& chosen) {
  bind({argument, index, true, given, chosen});
}

void Execution::bind_weights(int argument, std::uint32_t index, const sdk::Arg& input,
                             const memory::desc& given, const memory::desc& chosen) {
  const bool changes = given != chosen || elements_.are_widened();
  if (!input.takes_any_layout() || !changes || layout_text(chosen).empty()) {
    return bind_input(argument, index, given, chosen);
  }
  bind({argument, index, false, chosen, chosen});
  packed_.push_back({index, elements_, given, chosen});
}

void Execution::bind(Binding binding) {
  if (binding.given != binding.chosen) {
    binding.offset = reserve(binding.chosen);
    binding.reorder = binding.is_output ? make_reorder(binding.chosen, binding.given)
                                        : make_reorder(binding.given, binding.chosen);
  }
  bindings_.push_back(std::move(binding));
}

std::uint64_t Execution::memory_bytes() const {
  const auto reorders = std::count_if(bindings_.begin(), bindings_.end(),
                                      [](const Binding& binding) { return !!binding.reorder; });
  return kPrimitiveBytes + kReorderBytes * static_cast<std::uint64_t>(reorders);
}

void Execution::run(const sdk::Launch& launch) const {
  const ThreadCount threads(threads_);
  dnnl::stream stream = stream_;
  // Memory objects are cheap handles, and made here so that launches share nothing.
  std::vector<memory> given;
  std::vector<memory> chosen;
  std::vector<dnnl_exec_arg_t> arguments;
  given.reserve(bindings_.size());
  chosen.reserve(bindings_.size());
  arguments.reserve(bindings_.size() + 1);
  for (const Binding& binding : bindings_) {
    const loci_view& view =
        binding.is_output ? launch.output_view(binding.index) : launch.input_view(binding.index);
    given.emplace_back(binding.given, engine(), view.data);
    if (binding.reorder) {
      chosen.emplace_back(binding.chosen, engine(), launch.workspace<char>(binding.offset));
      if (!binding.is_output) binding.reorder->execute(stream, given.back(), chosen.back());
    } else {
      chosen.push_back(given.back());
    }
    arguments.push_back({binding.argument, chosen.back().get()});
  }
  const memory scratchpad(scratchpad_, engine(), launch.workspace<char>(scratchpad_offset_));
  arguments.push_back({DNNL_ARG_SCRATCHPAD, scratchpad.get()});
  dnnl::error::wrap_c_api(
      dnnl_primitive_execute(primitive_.get(), stream.get(), static_cast<int>(arguments.size()),
                             arguments.data()),
      "oneDNN could not execute a primitive");
  for (std::size_t i = 0; i < bindings_.size(); ++i) {
    if (bindings_[i].is_output && bindings_[i].reorder) {
      bindings_[i].reorder->execute(stream, chosen[i], given[i]);
    }
  }
}

}  // namespace loci::cpu::onednn
