// A backend with one fault, which the environment variable LOCI_TEST_FAULT names. Each of these
// functions behaves well unless its fault is asked for.
#include <loci/abi/device.h>
#include <loci/abi/digest.h>
#include <loci/abi/kernels.h>
#include <loci/abi/plugin.h>

#include <cstdlib>
#include <stdexcept>
#include <string_view>

struct loci_plugin {
  const loci_host_api* host;
};

namespace {

bool has_fault(std::string_view name) {
  const char* fault = std::getenv("LOCI_TEST_FAULT");
  return fault != nullptr && name == fault;
}

loci_str text(std::string_view value) { return {value.data(), value.size()}; }

loci_plugin the_plugin{};

loci_error* make_error(std::string_view message) {
  const loci_host_api& host = *the_plugin.host;
  loci_error* root = host.error_make(host.host, LOCI_CODE_FAILED, text("the root of it"), nullptr);
  return host.error_make(host.host, LOCI_CODE_UNAVAILABLE, text(message), root);
}

loci_error* probe(loci_plugin*, int32_t* out_score, loci_str*) {
  if (has_fault("probe_throws")) throw std::runtime_error("out of probe");
  if (has_fault("probe_fails")) return make_error("the probe found nothing");
  *out_score = has_fault("no_reason") ? 0 : 5;
  return nullptr;
}

loci_error* count(loci_plugin*, uint32_t* out_count) {
  *out_count = 0;
  return nullptr;
}

loci_error* describe(loci_plugin*, uint32_t, loci_device_info*) { return make_error("no device"); }
loci_error* open_device(loci_plugin*, uint32_t, loci_device**) { return make_error("no device"); }
void close_device(loci_device*) {}

const loci_device_api* device_api() {
  static loci_device_api api;
  api = {};
  api.struct_size = has_fault("tiny_table") ? 4 : sizeof api;
  api.device_type = text(has_fault("other_device_type") ? "another" : "faulty");
  api.probe = probe;
  api.count = count;
  api.describe = describe;
  api.open = has_fault("no_open") ? nullptr : open_device;
  api.close = close_device;
  return &api;
}

const loci_kernel_def* defs(loci_plugin*, uint64_t* out_count) {
  static loci_kernel_def def;
  *out_count = 1;
  if (has_fault("null_defs")) return nullptr;
  def = {};
  def.struct_size = has_fault("small_def") ? 8 : sizeof def;
  def.op = text(has_fault("nameless_op") ? "" : "assign");
  def.name = text("faulty");
  def.op_version = has_fault("no_version") ? 0 : 1;
  return &def;
}

int32_t supports(loci_plugin*, const loci_kernel_def*, const loci_op_desc*, loci_reason*) {
  return 0;
}
loci_error* create_kernel(loci_plugin*, const loci_kernel_def*, loci_device*, const loci_op_desc*,
                          loci_kernel**) {
  return make_error("no kernel");
}
void destroy_kernel(loci_kernel*) {}
loci_error* prepare(loci_kernel*, const loci_op_desc*, loci_prepared_info*) {
  return make_error("no kernel");
}
void destroy_prepared(loci_prepared*) {}

const loci_kernels_api* kernels_api() {
  static loci_kernels_api api;
  api = {};
  api.struct_size = sizeof api;
  api.device_type = text("faulty");
  api.defs = defs;
  api.supports = supports;
  api.create = create_kernel;
  api.destroy = destroy_kernel;
  api.prepare = prepare;
  api.destroy_prepared = destroy_prepared;
  return &api;
}

loci_error* create(const loci_host_api* host, const loci_kv*, uint64_t, loci_plugin** out_plugin) {
  the_plugin.host = host;
  if (has_fault("create_throws")) throw std::runtime_error("out of create");
  if (has_fault("create_throws_int")) throw 42;
  if (has_fault("create_fails")) return make_error("the licence\nhas expired");
  if (!has_fault("no_instance")) *out_plugin = &the_plugin;
  return nullptr;
}

void destroy(loci_plugin*) {
  if (has_fault("destroy_throws")) throw std::runtime_error("out of destroy");
  setenv("LOCI_TEST_DESTROYED", "1", /*replace=*/1);
}

loci_error* get_interface(loci_plugin*, loci_str name, uint32_t, const void** out_table) {
  const std::string_view asked(name.data, name.size);
  if (has_fault("interface_throws")) throw std::runtime_error("out of get_interface");
  *out_table = nullptr;
  if (has_fault("no_tables")) return nullptr;
  if (asked == LOCI_DEVICE_INTERFACE && !has_fault("kernels_alone")) *out_table = device_api();
  if (asked == LOCI_KERNELS_INTERFACE) *out_table = kernels_api();
  return nullptr;
}

}  // namespace

extern "C" const loci_plugin_desc* loci_plugin_query_v1(const loci_host_info*) {
  static loci_plugin_desc desc;
  if (has_fault("query_throws")) throw std::runtime_error("out of query");
  if (has_fault("null_desc")) return nullptr;
  desc = {};
  desc.struct_size = has_fault("tiny_desc") ? 4 : sizeof desc;
  desc.abi_minor = LOCI_ABI_MINOR;
  desc.min_host_minor = has_fault("too_new") ? 99 : 0;
  desc.id = text(has_fault("other_id") ? "org.loci.test.stranger" : "org.loci.test.faulty");
  desc.version = text("1.2.3");
  desc.digest = text(has_fault("other_digest") ? "0123456789abcdef" : LOCI_ABI_DIGEST);
  desc.create = has_fault("no_create") ? nullptr : create;
  desc.destroy = destroy;
  desc.get_interface = get_interface;
  return &desc;
}
