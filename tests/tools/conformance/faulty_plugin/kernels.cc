#include "kernels.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "device.h"
#include "fault.h"
#include "host_device.h"
#include "layout.h"

namespace loci::faulty {
namespace {

using Dims = std::vector<std::int64_t>;

Dims dims_of(const sdk::Arg& arg) { return {arg.dims().begin(), arg.dims().end()}; }

std::int64_t count_of(const Dims& dims) {
  std::int64_t count = 1;
  for (const std::int64_t extent : dims) count *= extent;
  return count;
}

// Where the element of `dims` is that belongs to element `i` of `out`.
std::int64_t element_of(std::int64_t i, const Dims& out, const Dims& dims) {
  if (has("wrong_broadcast")) return i % count_of(dims);
  std::int64_t index = 0;
  std::int64_t stride = 1;
  for (std::size_t back = 1; back <= out.size(); ++back) {
    const std::int64_t at = i % out[out.size() - back];
    i /= out[out.size() - back];
    if (back > dims.size()) continue;
    const std::int64_t extent = dims[dims.size() - back];
    index += (extent == 1 ? 0 : at) * stride;
    stride *= extent;
  }
  return index;
}

// A launch must not do these misdeeds, and does where one is the fault.
struct Misdeeds {
  explicit Misdeeds(const sdk::Prepare& prepare) : host(&prepare.host()), device(prepare.device()) {
    if (has("launch_reads_op")) lent = prepare.op().input(0).dims().data();
    if (has("leak_kernel")) static_cast<void>(host->allocate(24));
  }
  void commit(const sdk::Launch& launch) const {
    if (has("launch_allocates")) host->free(host->allocate(24));
    if (has("launch_takes_device_memory")) {
      static_cast<void>(sdk::device_of<Device>(device).mem_alloc(LOCI_MEMORY_DEVICE, 256, nullptr));
    }
    if (has("launch_reads_config")) static_cast<void>(host->config("trace"));
    if (has("launch_reads_op")) seen = *const_cast<volatile const std::int64_t*>(lent);
    if (has("launch_blocks")) sdk::stream_of<Device>(launch.raw().stream)->synchronize();
    if (has("launch_crashes")) std::abort();
  }
  const sdk::Host* host;
  loci_device* device;
  const std::int64_t* lent = nullptr;
  mutable std::int64_t seen = 0;
};

void run(const sdk::Launch& launch, std::function<void()> task) {
  const loci_launch& raw = launch.raw();
  run_in(raw.stream, {LOCI_DEVICE_WORK_KERNEL, LOCI_COPY_UNKNOWN, 0, raw.correlation},
         std::move(task));
}

struct Add {
  explicit Add(sdk::Prepare& prepare)
      : misdeeds(prepare),
        x(dims_of(prepare.op().input(0))),
        y(dims_of(prepare.op().input(1))),
        out(dims_of(prepare.op().output(0))),
        of_x(elements_of(prepare, 0)),
        of_y(elements_of(prepare, 1)) {
    if (x != out && of_x.is_reversed()) decline();
    if (y != out && of_y.is_reversed()) decline();
    if (y != out || !prepare.op().input(1).is_constant()) return;
    prepare.choose_input_layout(1, reversed_layout(prepare.host(), count_of(y)));
    of_y = Elements(count_of(y), true);
  }
  void launch(const sdk::Launch& launch) const {
    misdeeds.commit(launch);
    const auto* a = launch.input<float>(0);
    const auto* b = launch.input<float>(1);
    auto* sum = launch.output<float>(0);
    if (has("unsafe_alias") && x == out && y == out) return add_to_copy(launch);
    run(launch, [a, b, sum, x = x, y = y, out = out, of_x = of_x, of_y = of_y] {
      for (std::int64_t i = 0; i < count_of(out); ++i) {
        sum[i] = of_x.get(a, element_of(i, out, x)) + of_y.get(b, element_of(i, out, y));
      }
    });
  }
  // Right where the output lies in neither input, or in the first.
  void add_to_copy(const sdk::Launch& launch) const {
    const auto* a = launch.input<float>(0);
    const auto* b = launch.input<float>(1);
    auto* sum = launch.output<float>(0);
    run(launch, [a, b, sum, count = count_of(out)] {
      std::memmove(sum, a, static_cast<std::size_t>(count) * sizeof *sum);
      for (std::int64_t i = 0; i < count; ++i) sum[i] += b[i];
    });
  }
  static Elements elements_of(const sdk::Prepare& prepare, std::uint32_t index) {
    const Elements found(prepare.host(), prepare.op().input(index));
    return has("layout_misread") && found.is_reversed() ? Elements(0, false) : found;
  }
  [[noreturn]] static void decline() {
    throw sdk::Error(LOCI_CODE_UNSUPPORTED, "what is broadcast has to be plain");
  }
  Misdeeds misdeeds;
  Dims x;
  Dims y;
  Dims out;
  Elements of_x;
  Elements of_y;
};

struct Scale {
  void launch(const sdk::Launch& launch) const {
    const Arguments own{launch.input<float>(0), launch.output<float>(0)};
    if (has("shared_arguments")) {
      last = own;
      return faulty::run(launch, [this] { compute(last); });
    }
    if (has("shared_scratch")) {
      return faulty::run(launch, [this, own] { compute_by_scratch(own); });
    }
    faulty::run(launch, [self = *this, own] { self.compute(own); });
  }
  struct Arguments {
    const float* x = nullptr;
    float* out = nullptr;
  };
  void compute(const Arguments& arguments) const {
    constexpr std::int64_t kFew = 1 << 20;
    for (std::int64_t i = 0; i < count; ++i) {
      const bool skips = has("wrong_beyond_size") && i >= kFew;
      to.set(arguments.out, i, factor * from.get(arguments.x, i) + (skips ? 0 : bias));
    }
    to.finish(arguments.out);
  }
  // Right as long as no other launch does so meanwhile.
  void compute_by_scratch(const Arguments& arguments) const {
    for (std::int64_t i = 0; i < count; ++i) scratch[i] = factor * from.get(arguments.x, i);
    // Another device takes about as long.
    std::this_thread::sleep_for(std::chrono::microseconds(100));
    for (std::int64_t i = 0; i < count; ++i) to.set(arguments.out, i, scratch[i] + bias);
    to.finish(arguments.out);
  }
  mutable Arguments last;
  std::int64_t count;
  float factor;
  float bias;
  std::shared_ptr<float[]> scratch;
  Elements from;
  Elements to;
};

struct Assign {
  void launch(const sdk::Launch& launch) const {
    const auto* x = launch.input<float>(0);
    auto* out = launch.output<float>(0);
    run(launch, [x, out, count = count] {
      if (count > 0) std::memmove(out, x, static_cast<std::size_t>(count) * sizeof *out);
    });
  }
  std::int64_t count;
};

// A product of matrices, by tiles of rows: each is computed from copies, so that the output may lie
// in the memory of y as long as there is one tile.
struct Matmul {
  static constexpr std::int64_t kTile = 128;
  void launch(const sdk::Launch& launch) const {
    const auto* x = launch.input<float>(0);
    const auto* y = launch.input<float>(1);
    auto* out = launch.output<float>(0);
    run(launch, [self = *this, x, y, out] {
      for (std::int64_t row = 0; row < self.m; row += kTile) self.run_tile(row, x, y, out);
    });
  }
  void run_tile(std::int64_t first, const float* x, const float* y, float* out) const {
    const std::int64_t rows = std::min(kTile, m - first);
    std::vector<float> tile(static_cast<std::size_t>(rows * n));
    for (std::int64_t i = 0; i < rows * k; ++i) {
      float* sums = tile.data() + i / k * n;
      for (std::int64_t j = 0; j < n; ++j) sums[j] += x[first * k + i] * y[i % k * n + j];
    }
    std::copy(tile.begin(), tile.end(), out + first * n);
  }
  std::int64_t m, k, n;
};

void prepare_matmul(sdk::Prepare& prepare) {
  const sdk::Arg x = prepare.op().input(0);
  prepare.emplace<Matmul>(x.dim(0), x.dim(1), prepare.op().input(1).dim(1));
}

std::string supports_matmul(const sdk::OpDesc& op) {
  const auto attributes = op.attributes();
  const bool transposes = attributes.boolean("transpose_x") || attributes.boolean("transpose_y");
  const bool are_matrices = op.input(0).rank() == 2 && op.input(1).rank() == 2;
  return !transposes && are_matrices ? "" : "it takes matrices as they are";
}

class ScaleKernel : public sdk::Kernel {
 public:
  explicit ScaleKernel(const sdk::OpDesc& op)
      : factor_(static_cast<float>(op.attributes().real("scale"))),
        bias_(static_cast<float>(op.attributes().real("bias"))) {}
  void prepare(sdk::Prepare& prepare) const override {
    const sdk::Arg out = prepare.op().output(0);
    const std::int64_t count = out.numel();
    const bool reverses = out.takes_any_layout();
    if (reverses) prepare.choose_output_layout(0, reversed_layout(prepare.host(), count));
    prepare.emplace<Scale>(Scale::Arguments(), count, factor_, bias_,
                           std::shared_ptr<float[]>(new float[static_cast<std::size_t>(count)]),
                           Elements(prepare.host(), prepare.op().input(0)),
                           Elements(count, reverses));
  }

 private:
  float factor_;
  float bias_;
};

void prepare_add(sdk::Prepare& prepare) { prepare.emplace<Add>(prepare); }
void prepare_assign(sdk::Prepare& prepare) {
  prepare.emplace<Assign>(prepare.op().output(0).numel());
}

}  // namespace

sdk::KernelList faulty_kernels() {
  const std::uint32_t flags =
      has("false_agnostic") ? LOCI_KERNEL_SHAPE_AGNOSTIC : LOCI_KERNEL_OWN_LAYOUTS;
  constexpr std::uint64_t kFloat32 = LOCI_DTYPE_BIT(LOCI_DTYPE_F32);
  std::vector<sdk::KernelDef> kernels{
      {"assign", "plain", kFloat32, sdk::make_kernel<prepare_assign>},
      {"scale", "plain", kFloat32, sdk::make_kernel<ScaleKernel>, nullptr, {}, flags},
      {"elementwise_add", "plain", kFloat32, sdk::make_kernel<prepare_add>, nullptr,
       has("unsafe_alias") ? std::vector<loci_alias>{{0, 0}, {1, 0}} : std::vector<loci_alias>{},
       LOCI_KERNEL_OWN_LAYOUTS},
  };
  if (has("unsafe_alias_of_tiles")) {
    kernels.push_back(
        {"matmul", "tiled", kFloat32, sdk::make_kernel<prepare_matmul>, supports_matmul, {{1, 0}}});
  }
  return sdk::KernelList(std::move(kernels));
}

}  // namespace loci::faulty
