// The op rules.cube, out = x * x * x, right but for its fault.
#include <loci/plugin/dtype_visit.hpp>
#include <loci/plugin/kernel.hpp>
#include <loci/plugin/ops.hpp>
#include <loci/plugin/plugin.hpp>

#include "tests/tools/conformance/faulty_plugin/fault.h"

namespace loci::faulty {
namespace {

template <class T>
struct Cube {
  void launch(const sdk::Launch& launch) const {
    const auto* x = launch.input<T>(0);
    auto* out = launch.output<T>(0);
    for (std::int64_t i = 0; i < count; ++i) {
      const auto value = static_cast<sdk::compute_t<T>>(x[i]);
      out[i] = static_cast<T>(value * value * (sizeof(T) == 4 && has("wrong_float32") ? 1 : value));
    }
  }
  std::int64_t count;
};

void prepare_cube(sdk::Prepare& prepare) {
  const sdk::Arg x = prepare.op().input(0);
  sdk::visit_floats(
      x.dtype(), [&](auto tag) { prepare.emplace<Cube<typename decltype(tag)::type>>(x.numel()); });
}

void infer_cube(sdk::Inference& op) {
  loci_type type = op.input(0);
  if (has("refuses_float16") && type.dtype == LOCI_DTYPE_F16) {
    throw sdk::Error(LOCI_CODE_INVALID_ARGUMENT, "no float16");
  }
  if (has("guesses_extents") && type.rank > 0 && type.dims[0] == LOCI_DIM_UNKNOWN) type.dims[0] = 1;
  op.set_output(0, type);
}

// 3 x^2.
void grad_cube(sdk::Gradient& op) {
  const auto multiply = [&](sdk::Value x, sdk::Value y) {
    return op.call("elementwise_mul").input("x", x).input("y", y).result();
  };
  const sdk::Value square = multiply(op.input(0), op.input(0));
  const double factor = has("wrong_gradient") ? 2.0 : 3.0;
  const sdk::Value slope = op.call("scale").input("x", square).attr("scale", factor).result();
  if (!has("no_gradient")) op.set_input_grad(0, multiply(op.output_grad(0), slope));
}

}  // namespace

class CubePlugin {
 public:
  static constexpr std::string_view kId = "org.loci.test.cube";
  static constexpr std::string_view kVersion = "1.0.0";
  static constexpr std::string_view kDeviceType = "cpu";

  CubePlugin(const sdk::Host&, const sdk::Options&) {}
  const void* interface(std::string_view name) {
    if (name == LOCI_OPS_INTERFACE) return sdk::ops_table<CubePlugin>();
    if (name == LOCI_KERNELS_INTERFACE) return sdk::kernels_table<CubePlugin>();
    return nullptr;
  }
  [[nodiscard]] sdk::OpList& ops() { return ops_; }
  [[nodiscard]] const sdk::KernelList& kernels() const { return kernels_; }

 private:
  sdk::OpList ops_{{sdk::OpDef("rules.cube")
                        .input("x", sdk::kFloatBits)
                        .output("out")
                        .infer(infer_cube)
                        .gradient(grad_cube)}};
  sdk::KernelList kernels_{
      {{"rules.cube", "plain", sdk::kFloatBits, sdk::make_kernel<prepare_cube>}}};
};

}  // namespace loci::faulty

const loci_plugin_desc* loci_plugin_query_v1(const loci_host_info* host) {
  return loci::sdk::describe_plugin<loci::faulty::CubePlugin>(host);
}
