// Destructors that a library registers as it computes would be the first to run where a thread that
// has never used Loci calls exit(), while others compute with what they destroy.
#include <dlfcn.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <loci/captured_function.hpp>
#include <loci/graph.hpp>
#include <loci/loci.hpp>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "framework/core/sanitizer.h"

namespace {

struct Registration {
  std::string caller;  // "libdnnl.so.2+0xf9c042"
  void (*destructor)(void*);
  void* object;
};

std::atomic<bool> watches{false};

std::mutex& mutex() {
  static std::mutex& only = *new std::mutex;
  return only;
}
std::vector<Registration>& registrations() {
  static auto& all = *new std::vector<Registration>;
  return all;
}

std::string name_of(const void* address) {
  Dl_info info{};
  if (::dladdr(address, &info) == 0 || info.dli_fname == nullptr) return "nowhere";
  const std::string path = info.dli_fname;
  const auto offset = static_cast<const char*>(address) - static_cast<const char*>(info.dli_fbase);
  return fmt::format("{}+{:#x}", path.substr(path.rfind('/') + 1), offset);
}

}  // namespace

// In place of the C library's, for all libraries of the process: the linker finds the program's
// functions first.
extern "C" [[gnu::visibility("default")]] int __cxa_atexit(void (*destructor)(void*), void* object,
                                                           void* library) {
  using Function = int (*)(void (*)(void*), void*, void*);
  static const auto own = reinterpret_cast<Function>(::dlsym(RTLD_NEXT, "__cxa_atexit"));
  if (watches.load()) {
    const std::lock_guard lock(mutex());
    registrations().push_back({name_of(__builtin_return_address(0)), destructor, object});
  }
  return own(destructor, object, library);
}

namespace loci {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

Tensor image() { return full({2, 8, 12, 12}, 0.5); }

void run_products() {
  for (const DType dtype : {kFloat32, kFloat64, kFloat16, kBFloat16}) {
    for (const std::int64_t side : {4, 64, 192}) {
      const Tensor x = full({side, side}, 0.01, dtype);
      static_cast<void>(matmul(x, x));
    }
  }
  static_cast<void>(matmul(full({4, 16, 16}, 0.1), full({4, 16, 16}, 0.1)));
}

void run_images() {
  const Tensor filter = full({16, 8, 3, 3}, 0.01);
  static_cast<void>(conv2d(image(), filter));
  static_cast<void>(conv2d(image(), full({16, 8, 1, 1}, 0.01)));
  static_cast<void>(pool2d(image()));
  static_cast<void>(softmax(image()));
}

void run_gradients() {
  Tensor filter = full({16, 8, 3, 3}, 0.01);
  filter.set_requires_grad();
  reduce_mean(gelu(pool2d(conv2d(image(), filter)))).backward();
  Tensor weight = full({64, 64}, 0.01);
  weight.set_requires_grad();
  reduce_mean(tanh(matmul(weight, weight))).backward();
}

std::vector<Tensor> block(const std::vector<Tensor>& in) {
  return {softmax(relu(matmul(in[0], in[0]) + 1.0) * 0.5)};
}

void run_captured() {
  const Tensor x = full({64, 64}, 0.5);
  CapturedFunction step(&block, CaptureOptions{.place = Place("cpu")});
  for (int i = 0; i < 3; ++i) static_cast<void>(step({x}));
  Graph graph{Place("cpu")};
  graph.capture_begin();
  const Tensor y = block({x})[0];
  graph.capture_end();
  for (int i = 0; i < 3; ++i) graph.replay();
}

void run_compiled() {
  const Tensor x = full({64, 64}, 0.5);
  const auto step = compile(&block, {x});
  for (int i = 0; i < 3; ++i) static_cast<void>(step({x}));
}

void run_programs() {
  const Program main;
  Variable loss;
  {
    const ProgramGuard guard(main, Program());
    const Variable x = fill_constant({64, 64}, 0.5);
    loss = reduce_mean(softmax(matmul(x, x)));
  }
  const Executor executor{Place("cpu")};
  for (int i = 0; i < 3; ++i) static_cast<void>(Executor(executor).run(main, {}, {loss}));
}

void run_profiled() {
  Profiler profiler(ProfilerOptions().no_reporter());
  run_products();
  profiler.step();
}

std::vector<std::string> late_registrations(const std::function<void()>& work) {
  watches.store(true);
  work();
  synchronize();
  watches.store(false);
  std::vector<std::string> late;
  std::set<void (*)(void*)> of_core;
  const std::lock_guard lock(mutex());
  for (const Registration& each : registrations()) {
    // The handler that stops everything is a function without an object.
    if (each.object == nullptr && each.caller.rfind("libloci.so", 0) == 0) {
      of_core.insert(each.destructor);
    } else {
      late.push_back(
          fmt::format("{} of {}", name_of(reinterpret_cast<void*>(each.destructor)), each.caller));
    }
  }
  registrations().clear();
  EXPECT_LE(of_core.size(), 1U) << "there are more handlers than the one that stops everything";
  return late;
}

class LateDestructors : public ::testing::Test {
 protected:
  void SetUp() override {
#if defined(LOCI_ASAN) || defined(LOCI_TSAN)
    GTEST_SKIP() << "the sanitizer's function comes first";
#endif
    static_cast<void>(ones({1}).to_vector<float>());  // maps the plugin
  }
};

TEST_F(LateDestructors, AreSeenHere) {
  const auto late = late_registrations([] { static const std::vector<std::string> kMade{"late"}; });
  EXPECT_THAT(late, SizeIs(1));
}

TEST_F(LateDestructors, NothingThatComputesHasAny) {
  const std::function<void()> works[] = {run_products, run_images,   run_gradients, run_captured,
                                         run_compiled, run_programs, run_profiled};
  for (const std::function<void()>& work : works) EXPECT_THAT(late_registrations(work), IsEmpty());
}

}  // namespace
}  // namespace loci
