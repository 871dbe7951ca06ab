// Tests of graphs that count the calls of the driver's that replays make, on the double.
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <loci/fallback.hpp>
#include <loci/tensor.hpp>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "tests/support/paths.h"
#include "tools/cuda_double/driver/activity.h"

namespace loci::test {

// Counts the calls of the process; the driver tells any thread's.
class DriverCalls {
 public:
  static void count(const cuda_double::CallActivity& call) {
    const std::lock_guard lock(mutex());
    ++counts()[call.name];
  }
  // Those of the body that change a graph, record or launch one, or give work to a stream.
  template <class Body>
  static std::map<std::string, int> of(Body&& body) {
    {
      const std::lock_guard lock(mutex());
      counts().clear();
    }
    body();
    const std::lock_guard lock(mutex());
    std::map<std::string, int> result = counts();
    std::erase_if(result, [](const auto& each) { return !is_of_replays(each.first); });
    return result;
  }

 private:
  static std::mutex& mutex() {
    static auto& one = *new std::mutex;
    return one;
  }
  static std::map<std::string, int>& counts() {
    static auto& all = *new std::map<std::string, int>;
    return all;
  }
  static bool is_of_replays(const std::string& name) {
    for (const char* begin : {"cuGraph", "cuStreamBegin", "cuLaunch", "cuMemcpyDtoD"}) {
      if (name.rfind(begin, 0) == 0) return true;
    }
    return false;
  }
};

class CountsDriverCalls : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    const std::string driver = build_path("lib/loci/cuda_double/libcuda.so.1");
    ::setenv("LOCI_CUDA_DRIVER", driver.c_str(), 1);
    ::setenv("LOCI_CUDA_CUBLASLT", build_path("lib/loci/cuda_double/libcublasLt.so.13").c_str(), 1);
    ::setenv("LOCI_CUDA_DOUBLE", "checks=all", 1);
    void* library = ::dlopen(driver.c_str(), RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library, nullptr) << ::dlerror();
    const auto listen = reinterpret_cast<decltype(&loci_cuda_double_listen)>(
        ::dlsym(library, "loci_cuda_double_listen"));
    ASSERT_NE(listen, nullptr);
    static const cuda_double::ActivityListener kListener{&DriverCalls::count,
                                                         [](const cuda_double::WorkActivity&) {}};
    listen(&kListener);
  }
  static Tensor there(const std::vector<float>& elements) {
    return Tensor::from(elements, {static_cast<std::int64_t>(elements.size())}).to("cuda:0");
  }

 private:
  const FallbackGuard on_the_device_{FallbackPolicy::kError};
};

}  // namespace loci::test
