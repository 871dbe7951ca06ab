// Small programs, and a scope of their own to run them in.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/loci.hpp>
#include <memory>
#include <string>
#include <vector>

#include "framework/compile/plan_compiler.h"
#include "framework/device/device_manager.h"
#include "framework/tensor/scope_impl.h"
#include "tests/support/plugin_setup.h"

namespace loci::runtime {

class RuntimeTest : public ::testing::Test {
 protected:
  RuntimeTest() : building_(main_, startup_) { test::use_test_plugins("lib/loci/toy_plugin"); }

  static Tensor vector(const std::vector<float>& values) {
    return Tensor::from(values, {static_cast<std::int64_t>(values.size())});
  }
  static device::Device& device_at(const Place& place) {
    return device::DeviceManager::instance().get(place);
  }
  static PlanFeed feed_of(const std::string& name, const Shape& shape, DType dtype = kFloat32) {
    return {name, dtype, shape, Place(), -1, -1};
  }

  // Compiles the main program for `place`.
  std::shared_ptr<const Plan> compile(const std::vector<PlanFeed>& feeds,
                                      const std::vector<std::string>& fetches,
                                      const Place& place = "cpu",
                                      const CompileOptions& options = CompileOptions()) {
    PlanRequest request;
    request.program = main_.impl();
    request.feeds = feeds;
    request.fetches = fetches;
    request.device = &device_at(place);
    request.options = options;
    request.scope = scope_.impl().get();
    return compile_plan(request, &kernels_);
  }

  Program main_;
  Program startup_;
  Scope scope_;
  dispatch::KernelCache kernels_;

 private:
  ProgramGuard building_;
};

}  // namespace loci::runtime
