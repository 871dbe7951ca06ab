#include "tests/bench/cuda_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <utility>

namespace loci::bench {
namespace {

using cuda_rules::cu;

constexpr int kRounds = 15;
constexpr double kTurnUs = 20'000;

double us_of(const Work& work, int calls) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < calls; ++i) work.call();
  work.wait();
  const std::chrono::duration<double, std::micro> passed = std::chrono::steady_clock::now() - start;
  return passed.count() / calls;
}

// So many that a turn takes long enough to be measured.
int calls_of(const Work& work) {
  (void)us_of(work, 1);  // finds kernels and memory
  return static_cast<int>(std::clamp(kTurnUs / us_of(work, 3), 3.0, 10'000.0));
}

}  // namespace

void must(CUresult status, const char* what) {
  if (status == CUDA_SUCCESS) return;
  const char* name = nullptr;
  (void)cu().cuGetErrorName(status, &name);
  throw std::runtime_error(fmt::format("{}: {}", what, name == nullptr ? "?" : name));
}

RawDevice::RawDevice() {
  const cuda_rules::Driver& driver = cuda_rules::driver();
  if (!driver.unavailable.empty()) throw std::runtime_error(driver.unavailable);
  must(cu().cuInit(0), "cuInit");
  must(cu().cuDeviceGet(&device_, 0), "cuDeviceGet");
  CUcontext context = nullptr;
  must(cu().cuDevicePrimaryCtxRetain(&context, device_), "cuDevicePrimaryCtxRetain");
  must(cu().cuCtxSetCurrent(context), "cuCtxSetCurrent");
  must(cu().cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
}

RawDevice::~RawDevice() {
  (void)cu().cuStreamDestroy(stream_);
  (void)cu().cuDevicePrimaryCtxRelease(device_);
}

void RawDevice::synchronize() const {
  must(cu().cuStreamSynchronize(stream_), "cuStreamSynchronize");
}

RawMemory::RawMemory(std::size_t bytes) {
  must(cu().cuMemAlloc(&address_, bytes), "cuMemAlloc");
  must(cu().cuMemsetD8(address_, 0, bytes), "cuMemsetD8");
  must(cu().cuCtxSynchronize(), "cuCtxSynchronize");
}

RawMemory::~RawMemory() { (void)cu().cuMemFree(address_); }

RawPinned::RawPinned(std::size_t bytes) {
  must(cu().cuMemHostAlloc(&data_, bytes, 0), "cuMemHostAlloc");
  std::fill_n(static_cast<char*>(data_), bytes, '\0');
}

RawPinned::~RawPinned() { (void)cu().cuMemFreeHost(data_); }

std::vector<double> CudaBench::us_in_turns(const std::vector<Work>& works) const {
  std::vector<int> calls;
  for (const Work& work : works) calls.push_back(emulated ? 1 : calls_of(work));
  std::vector<std::vector<double>> times(works.size());
  for (int round = 0; round < sized(kRounds, 1); ++round) {
    for (std::size_t i = 0; i < works.size(); ++i) times[i].push_back(us_of(works[i], calls[i]));
  }
  std::vector<double> medians;
  for (std::vector<double>& each : times) medians.push_back(median(std::move(each)));
  return medians;
}

void CudaBench::add(const std::string& name, double value, const std::string& unit,
                    bool less_is_better, const std::string& peer, double peer_value,
                    double share) const {
  add({name, value, unit, less_is_better, peer, peer_value, peer_value * share});
}

void CudaBench::add(Row row) const {
  if (emulated) row = {row.name, row.value, row.unit + " emulated", row.less_is_better};
  report.add(std::move(row));
}

}  // namespace loci::bench
