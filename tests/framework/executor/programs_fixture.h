// Small programs, and a scope of their own to run them in.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/loci.hpp>
#include <memory>
#include <string>
#include <vector>

#include "framework/device/device_manager.h"
#include "framework/planning/plan_compiler.h"
#include "framework/tensor/scope_impl.h"
#include "tests/support/plugin_setup.h"

namespace loci::executor {

class ProgramsTest : public ::testing::Test {
 protected:
  ProgramsTest() : building_(main_, startup_) { test::use_test_plugins("lib/loci/toy_plugin"); }

  static Tensor vector(const std::vector<float>& values) {
    return Tensor::from(values, {static_cast<std::int64_t>(values.size())});
  }
  static device::Device& device_at(const Place& place) {
    return device::DeviceManager::instance().get(place);
  }
  static execution::PlanFeed feed_of(const std::string& name, const Shape& shape,
                                     DType dtype = kFloat32) {
    return {name, dtype, shape, Place(), -1, -1};
  }

  // Compiles the main program for `place`.
  std::shared_ptr<const execution::Plan> compile(const std::vector<execution::PlanFeed>& feeds,
                                                 const std::vector<std::string>& fetches,
                                                 const Place& place = "cpu",
                                                 const CompileOptions& options = CompileOptions()) {
    planning::PlanRequest request;
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

}  // namespace loci::executor
