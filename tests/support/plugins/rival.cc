// Brings an op of the name that plugins/template_op has.
#include <loci/plugin/dtype_visit.hpp>
#include <loci/plugin/ops.hpp>
#include <loci/plugin/plugin.hpp>

namespace {

using namespace loci;

void infer_like_x(sdk::Inference& op) { op.set_output(0, op.input(0)); }

class Rival {
 public:
  static constexpr std::string_view kId = "org.loci.test.rival";
  static constexpr std::string_view kVersion = "1.2.3";

  Rival(const sdk::Host&, const sdk::Options&)
      : ops_({sdk::OpDef("sample.swish")
                  .input("x", sdk::kFloatBits)
                  .output("out")
                  .infer(infer_like_x)}) {}

  const void* interface(std::string_view name) {
    return name == LOCI_OPS_INTERFACE ? sdk::ops_table<Rival>() : nullptr;
  }
  [[nodiscard]] sdk::OpList& ops() { return ops_; }

 private:
  sdk::OpList ops_;
};

}  // namespace

const loci_plugin_desc* loci_plugin_query_v1(const loci_host_info* host) {
  return loci::sdk::describe_plugin<Rival>(host);
}
