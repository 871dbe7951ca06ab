// Greets in one language. LOCI_TEST_GREETER_MINOR is the minor of its table, which has no older
// form.
#include <cstdlib>
#include <loci/plugin/plugin.hpp>
#include <string_view>

#include "greeter.h"

namespace {

constexpr loci_str text(std::string_view value) { return {value.data(), value.size()}; }

loci_str greet(loci_plugin*) { return text("bonjour"); }

class Greeter {
 public:
  static constexpr std::string_view kId = "org.loci.test.greeter";
  static constexpr std::string_view kVersion = "1.2.3";

  Greeter(const loci::sdk::Host&, const loci::sdk::Options&) {}

  const void* interface(std::string_view) { return nullptr; }
};

loci_error* get_interface(loci_plugin*, loci_str name, std::uint32_t max_minor,
                          const void** out_table) {
  static example_greeter_api api{sizeof api, 0, text("french"), greet};
  const char* stated = std::getenv("LOCI_TEST_GREETER_MINOR");
  api.minor = stated == nullptr ? EXAMPLE_GREETER_MINOR : std::strtoul(stated, nullptr, 10);
  const bool fits =
      std::string_view(name.data, name.size) == EXAMPLE_GREETER_INTERFACE && api.minor <= max_minor;
  *out_table = fits ? &api : nullptr;
  return nullptr;
}

}  // namespace

const loci_plugin_desc* loci_plugin_query_v1(const loci_host_info* host) {
  static loci_plugin_desc desc;
  desc = *loci::sdk::describe_plugin<Greeter>(host);
  desc.get_interface = get_interface;
  return &desc;
}
