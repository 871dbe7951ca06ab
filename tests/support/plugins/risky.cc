// A backend that does one thing that no plugin may do, in one of its functions. The environment
// variable LOCI_TEST_RISK names both: "crash in create", "hang in load". Without it, it is a good
// one with a device.
#include <loci/abi/device.h>
#include <loci/abi/digest.h>
#include <loci/abi/kernels.h>
#include <loci/abi/plugin.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>

struct loci_plugin {};

namespace {

loci_str text(std::string_view value) { return {value.data(), value.size()}; }

[[noreturn]] void hang() {
  for (;;) ::pause();
}

// Leaves a copy of the process behind, which holds all that is open.
void leave_a_process() {
  if (::fork() == 0) hang();
}

// One line more in the file that a test has named.
void note() {
  std::FILE* file = std::fopen(std::getenv("LOCI_TEST_NOTES"), "a");
  std::fputs("mapped\n", file);
  std::fclose(file);
}

void perform(std::string_view deed, const std::string& place) {
  if (deed == "crash") std::raise(SIGSEGV);
  if (deed == "hang") hang();
  if (deed == "exit") std::exit(3);
  if (deed == "quit") ::_exit(0);
  if (deed == "abort") std::abort();
  if (deed == "assert") std::fputs("risky.cc: it cannot be\n", stderr), std::abort();
  if (deed == "throw") throw std::runtime_error("out of " + place);
  if (deed == "throw an int") throw 42;
  if (deed == "terminate") std::terminate();
  if (deed == "fork") leave_a_process();
  if (deed == "note") note();
  if (deed == "write") std::puts("result {}\nstep destroy"), std::fflush(stdout);
  if (deed == "close") {
    for (int descriptor = 0; descriptor < 64; ++descriptor) ::close(descriptor);
  }
}

void act(const std::string& place) {
  const char* risk = std::getenv("LOCI_TEST_RISK");
  if (risk == nullptr) return;
  const std::string_view asked(risk);
  const std::size_t in = asked.find(" in ");
  if (asked.substr(in + 4) == place) perform(asked.substr(0, in), place);
}

// What runs when the library is mapped, and when the process ends.
struct Static {
  Static() { act("load"); }
  ~Static() noexcept(false) { act("exit"); }
};
const Static kStatic;

loci_plugin the_plugin;

loci_error* probe(loci_plugin*, int32_t* out_score, loci_str*) {
  act("probe");
  *out_score = 1;
  return nullptr;
}

loci_error* count(loci_plugin*, uint32_t* out_count) {
  act("count");
  *out_count = 1;
  return nullptr;
}

loci_error* describe(loci_plugin*, uint32_t, loci_device_info* out_info) {
  act("describe");
  out_info->flags = LOCI_DEVICE_INLINE | LOCI_DEVICE_HOST_MEMORY;
  out_info->name = text("risky");
  out_info->alignment = 64;
  out_info->min_chunk = 1;
  out_info->numa_node = UINT32_MAX;
  return nullptr;
}

loci_error* open_device(loci_plugin*, uint32_t, loci_device** out_device) {
  static int device;
  *out_device = reinterpret_cast<loci_device*>(&device);
  return nullptr;
}
void close_device(loci_device*) {}

const loci_kernel_def* defs(loci_plugin*, uint64_t* out_count) {
  act("defs");
  *out_count = 0;
  return nullptr;
}
int32_t supports(loci_plugin*, const loci_kernel_def*, const loci_op_desc*, loci_reason*) {
  return 0;
}
loci_error* create_kernel(loci_plugin*, const loci_kernel_def*, loci_device*, const loci_op_desc*,
                          loci_kernel**) {
  return nullptr;
}
void destroy_kernel(loci_kernel*) {}
loci_error* prepare(loci_kernel*, const loci_op_desc*, loci_prepared_info*) { return nullptr; }
void destroy_prepared(loci_prepared*) {}

const loci_device_api* device_api() {
  static loci_device_api api{};
  api.struct_size = sizeof api;
  api.device_type = text("risky");
  api.probe = probe;
  api.count = count;
  api.describe = describe;
  api.open = open_device;
  api.close = close_device;
  return &api;
}

const loci_kernels_api* kernels_api() {
  static loci_kernels_api api{};
  api.struct_size = sizeof api;
  api.device_type = text("risky");
  api.defs = defs;
  api.supports = supports;
  api.create = create_kernel;
  api.destroy = destroy_kernel;
  api.prepare = prepare;
  api.destroy_prepared = destroy_prepared;
  return &api;
}

loci_error* create(const loci_host_api*, const loci_kv*, uint64_t, loci_plugin** out_plugin) {
  act("create");
  *out_plugin = &the_plugin;
  return nullptr;
}

void destroy(loci_plugin*) { act("destroy"); }

loci_error* get_interface(loci_plugin*, loci_str name, uint32_t, const void** out_table) {
  act("get_interface");
  const std::string_view asked(name.data, name.size);
  *out_table = nullptr;
  if (asked == LOCI_DEVICE_INTERFACE) *out_table = device_api();
  if (asked == LOCI_KERNELS_INTERFACE) *out_table = kernels_api();
  return nullptr;
}

}  // namespace

extern "C" const loci_plugin_desc* loci_plugin_query_v1(const loci_host_info*) {
  static loci_plugin_desc desc{};
  act("query");
  desc.struct_size = sizeof desc;
  desc.abi_minor = LOCI_ABI_MINOR;
  desc.id = text("org.loci.test.risky");
  desc.version = text("1.2.3");
  desc.digest = text(LOCI_ABI_DIGEST);
  desc.create = create;
  desc.destroy = destroy;
  desc.get_interface = get_interface;
  return &desc;
}
