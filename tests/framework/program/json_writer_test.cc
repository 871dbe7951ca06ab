#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <loci/ops.hpp>
#include <loci/program.hpp>

#include "framework/ops/infer_context.h"
#include "framework/ops/op_registry.h"
#include "framework/program/json_form.h"

namespace loci::program {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(JsonWriterTest, WritesTheDocumentedForm) {
  const Program main;
  const ProgramGuard guard(main);
  const DeviceGuard device("sim:1");
  const Variable x = data("x", {-1, 2}, kFloat32);
  const Program pruned = main.prune({x}, {scale(x, 0.1)});
  EXPECT_EQ(to_json(*pruned.impl(), nullptr), R"({
  "format": "loci.program",
  "format_version": 1,
  "producer": "loci 0.1.0",
  "ops": {"scale":1},
  "main": {
    "variables": [
      {"name":"x","dtype":"float32","shape":[-1,2],"data":true,"stop_gradient":true},
      {"name":"scale_0.out","dtype":"float32","shape":[-1,2]}
    ],
    "operators": [
      {"type":"scale","name":"scale_0","inputs":{"x":["x"]},"outputs":{"out":["scale_0.out"]},"attributes":{"bias":{"float":0.0},"scale":{"float":0.1}},"guard":"sim:1"}
    ],
    "arguments": ["x"],
    "results": ["scale_0.out"],
    "next_random_offset": 0
  }
}
)");
}

TEST(JsonWriterTest, NamesThePluginsOfOps) {
  ops::OpSchema schema("test.named");
  schema.input("x").output("out").plugin("org.named").infer([](ops::InferContext& ctx) {
    ctx.set_output("out", ctx.input("x"));
  });
  if (!ops::op_registry().contains("test.named")) ops::op_registry().add(std::move(schema));
  const Program main;
  const ProgramGuard guard(main);
  const Variable y = OpCall<Variable>("test.named").input("x", data("x", {2}, kFloat32)).result();
  EXPECT_EQ(y.name(), "test.named_0.out");
  (void)relu(y);
  const std::string json = to_json(*main.impl(), nullptr);
  EXPECT_THAT(json, HasSubstr("\"ops\": {\"relu\":1,\"test.named\":1},\n"
                              "  \"plugins\": {\"test.named\":\"org.named\"},\n"));
  const ParsedPrograms parsed = from_json(json, "named.json");
  EXPECT_EQ(to_json(*parsed.main, nullptr), json);
}

TEST(JsonWriterTest, WritesNumbersThatJsonLacks) {
  const Program main;
  const ProgramGuard guard(main);
  fill_constant({1}, std::numeric_limits<double>::infinity());
  fill_constant({1}, -std::numeric_limits<double>::infinity());
  fill_constant({1}, std::numeric_limits<double>::quiet_NaN());
  const std::string json = to_json(*main.impl(), nullptr);
  EXPECT_THAT(json, HasSubstr(R"({"float":"inf"})"));
  EXPECT_THAT(json, HasSubstr(R"({"float":"-inf"})"));
  EXPECT_THAT(json, HasSubstr(R"({"float":"nan"})"));
}

TEST(JsonWriterTest, RefusesNamesThatAreNotUtf8) {
  const Program main;
  const ProgramGuard guard(main);
  data("\xff", {1}, kFloat32);
  EXPECT_THAT([&] { (void)to_json(*main.impl(), nullptr); },
              ThrowsMessage<Error>(HasSubstr("not UTF-8")));
}

}  // namespace
}  // namespace loci::program
