// Operators of one argument, at places that have kernels for them.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/loci.hpp>

#include "framework/device/device_manager.h"
#include "framework/dispatch/op_desc.h"
#include "framework/ops/op_registry.h"
#include "tests/support/plugin_setup.h"

namespace loci::dispatch {

class DispatchTest : public ::testing::Test {
 protected:
  DispatchTest() { test::use_test_plugins("lib/loci/toy_plugin"); }

  static device::Device& device_at(const Place& place) {
    return device::DeviceManager::instance().get(place);
  }
  // x and out are alike, attributes as they are without being said.
  static OpDesc unary(const char* op, const Shape& shape, DType dtype = kFloat32) {
    const ops::OpSchema& schema = ops::op_registry().get(op);
    const ArgumentType type{dtype, shape, LOCI_RESIDENCE_DEVICE};
    return {schema, schema.complete({}), {{type}}, {{type}}};
  }
};

}  // namespace loci::dispatch
