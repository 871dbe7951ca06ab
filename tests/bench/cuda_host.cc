// Measures what the host needs for each op that it launches on a CUDA device, over the driver's own
// launch of an empty kernel: in a plan, and imperative. The device is kept busy meanwhile, so that
// nothing runs beside what is timed; that makes sense on the double of the driver too.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <exception>
#include <functional>
#include <loci/devices.hpp>
#include <loci/error.hpp>
#include <loci/loci.hpp>
#include <vector>

#include "framework/execution/plan_run.h"
#include "framework/executor/executor_impl.h"
#include "tests/bench/cuda_bench.h"

namespace loci::bench {
namespace {

using cuda_rules::cu;

constexpr int kOps = 300;
constexpr int kTurns = 15;
constexpr std::int64_t kSide = 128;  // of the product that keeps the device busy
constexpr double kPlanBudgetUs = 0.5;
constexpr double kImperativeBudgetUs = 1.5;

// Kernels that do nothing, and that count to a number.
constexpr const char* kKernels = R"(
.version 7.0
.target sm_80
.address_size 64
.visible .entry empty(.param .u64 x, .param .u64 y, .param .u64 out) { ret; }
.visible .entry count(.param .u32 most) {
  .reg .u32 %r<3>;
  .reg .pred %p;
  ld.param.u32 %r1, [most];
  mov.u32 %r2, 0;
again:
  add.u32 %r2, %r2, 1;
  setp.lt.u32 %p, %r2, %r1;
  @%p bra again;
  ret;
}
)";

double elapsed_us(const std::function<void()>& call) {
  const auto start = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start)
      .count();
}

class RawLaunches {
 public:
  explicit RawLaunches(const RawDevice& device) : device_(device) {
    must(cu().cuModuleLoadData(&module_, kKernels), "cuModuleLoadData");
    must(cu().cuModuleGetFunction(&empty_, module_, "empty"), "cuModuleGetFunction");
    must(cu().cuModuleGetFunction(&count_, module_, "count"), "cuModuleGetFunction");
  }
  ~RawLaunches() { (void)cu().cuModuleUnload(module_); }
  RawLaunches(const RawLaunches&) = delete;
  RawLaunches& operator=(const RawLaunches&) = delete;

  double us(int launches) const {
    unsigned most = 500'000;
    void* counting[] = {&most};
    launch(count_, counting);
    CUdeviceptr none = 0;
    void* addresses[] = {&none, &none, &none};
    const double passed = elapsed_us([&] {
      for (int i = 0; i < launches; ++i) launch(empty_, addresses);
    });
    device_.synchronize();
    return passed;
  }

 private:
  void launch(CUfunction function, void** parameters) const {
    must(
        cu().cuLaunchKernel(function, 1, 1, 1, 256, 1, 1, 0, device_.stream(), parameters, nullptr),
        "cuLaunchKernel");
  }

  const RawDevice& device_;
  CUmodule module_ = nullptr;
  CUfunction empty_ = nullptr;
  CUfunction count_ = nullptr;
};

// sum(x x) + y + y + ..., as it is written, on one stream.
class PlannedAdds {
 public:
  PlannedAdds(const Tensor& x, const Tensor& y, int adds)
      : executor_("cuda:0", CompileOptions::none()),
        x_(kSide * kSide * sizeof(float)),
        y_(sizeof(float)),
        out_(sizeof(float)) {
    const ProgramGuard building(main_, startup_);
    const Variable product = data("x", {kSide, kSide}, kFloat32);
    const Variable term = data("y", {1}, kFloat32);
    Variable value = reshape(reduce_sum(matmul(product, product)), {1});
    for (int i = 0; i < adds; ++i) value = elementwise_add(value, term);
    plan_ = executor_.impl()->plan(main_, {{"x", x}, {"y", y}}, {value});
  }

  double us() {
    execution::PlanRun run(*plan_);
    bind(run, plan_->feeds[0].value, x_);
    bind(run, plan_->feeds[1].value, y_);
    bind(run, plan_->fetches[0].value, out_);
    execution::StageScopes scopes;
    run.begin();
    const double passed = elapsed_us([&] { run.enqueue(scopes); });
    run.wait();
    return passed;
  }

 private:
  static void bind(execution::PlanRun& run, execution::ValueId value, const RawMemory& memory) {
    run.bind(value, reinterpret_cast<void*>(memory.address()));
  }

  Program main_;
  Program startup_;
  Executor executor_;
  RawMemory x_;
  RawMemory y_;
  RawMemory out_;
  std::shared_ptr<const execution::Plan> plan_;
};

double imperative_us(const Tensor& x, const Tensor& y, int adds) {
  Tensor value = reshape(reduce_sum(matmul(x, x)), {1});
  const double passed = elapsed_us([&] {
    for (int i = 0; i < adds; ++i) value = value + y;
  });
  synchronize();
  return passed;
}

double median_of(const std::vector<double>& longer, const std::vector<double>& shorter) {
  std::vector<double> each;
  for (std::size_t i = 0; i < longer.size(); ++i) {
    each.push_back((longer[i] - shorter[i]) / (kOps - 1));
  }
  return median(each);
}

void measure(Report* report) {
  const DeviceProperties properties = device_properties("cuda:0");
  report->note("device: " + properties.name + ", driver " + properties.driver);
  const RawDevice device;
  const RawLaunches raw(device);
  const Tensor x = full({kSide, kSide}, 1.0).to("cuda:0");
  const Tensor y = full({1}, 1.0).to("cuda:0");
  PlannedAdds many(x, y, kOps);
  PlannedAdds one(x, y, 1);
  const std::function<double(int)> calls[] = {
      [&](int ops) { return raw.us(ops); },
      [&](int ops) { return ops == 1 ? one.us() : many.us(); },
      [&](int ops) { return imperative_us(x, y, ops); }};
  std::vector<double> longer[3];
  std::vector<double> shorter[3];
  for (int round = -1; round < kTurns; ++round) {
    for (std::size_t i = 0; i < 3; ++i) {
      const double some = calls[i](kOps);
      const double single = calls[i](1);
      if (round < 0) continue;  // finds kernels and memory
      longer[i].push_back(some);
      shorter[i].push_back(single);
    }
  }
  const double empty = median_of(longer[0], shorter[0]);
  const double plan = median_of(longer[1], shorter[1]);
  const double imperative = median_of(longer[2], shorter[2]);
  const auto add = [&](const char* name, double value, std::optional<double> budget) {
    report->add({name, value, "us", true, "", {}, budget});
  };
  add("empty launch by the driver", empty, {});
  add("plan, per op", plan, {});
  add("plan over the empty launch, per op", plan - empty, kPlanBudgetUs);
  add("imperative, per op", imperative, {});
  add("imperative over the empty launch, per op", imperative - empty, kImperativeBudgetUs);
}

}  // namespace
}  // namespace loci::bench

int main(int argc, char** argv) {
  try {
    loci::bench::Report report("cuda-host", argc, argv);
    loci::bench::measure(&report);
    report.print();
    return 0;
  } catch (const loci::Error& error) {
    std::fprintf(stderr, "bench_cuda_host: %s\n%s\n", error.what(), error.details().c_str());
    return 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_cuda_host: %s\n", error.what());
    return 1;
  }
}
