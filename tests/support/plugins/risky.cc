// A backend that does one thing that no plugin may do, in one of its functions. The environment
// variable LOCI_TEST_RISK names both: "crash in create", "hang in load". Without it, it is a good
// one with a device and a kernel of relu. LOCI_TEST_LIE names what it states that is not so:
// "devices", "kernels", "id"; or what may be so, and is much: "many devices".
#include <loci/abi/device.h>
#include <loci/abi/digest.h>
#include <loci/abi/kernels.h>
#include <loci/abi/plugin.h>
#include <sys/wait.h>
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

// The code that the copy ends with says if it was left to its own.
void fork_and_leave() {
  const pid_t child = ::fork();
  if (child == 0) std::exit(9);
  int status = 0;
  ::waitpid(child, &status, 0);
  std::fprintf(stderr, "the copy ended with %d\n", WEXITSTATUS(status));
}

// To a descriptor that the host opened for itself.
[[noreturn]] void write_for_ever(std::string_view text, useconds_t pause) {
  for (;;) {
    static_cast<void>(!::write(3, text.data(), text.size()));
    if (pause > 0) ::usleep(pause);
  }
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
  if (deed == "succeed") std::exit(0);
  if (deed == "leave quickly") std::quick_exit(0);
  if (deed == "quit") ::_exit(0);
  if (deed == "interrupt") std::raise(SIGUSR1);
  if (deed == "fork and leave") fork_and_leave();
  if (deed == "abort") std::abort();
  if (deed == "assert") std::fputs("risky.cc: it cannot be\n", stderr), std::abort();
  if (deed == "throw") throw std::runtime_error("out of " + place);
  if (deed == "throw an int") throw 42;
  if (deed == "terminate") std::terminate();
  if (deed == "fork") leave_a_process();
  if (deed == "note") note();
  if (deed == "flood") write_for_ever(std::string(65536, 'x'), 0);
  if (deed == "chatter") write_for_ever("it goes on\n", 10'000);
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

bool asks(std::string_view risk) {
  const char* asked = std::getenv("LOCI_TEST_RISK");
  return asked != nullptr && risk == asked;
}

bool lies(std::string_view about) {
  const char* lie = std::getenv("LOCI_TEST_LIE");
  return lie != nullptr && about == lie;
}

// The text, or one of a length that nothing has.
loci_str stated(std::string_view about, std::string_view value) {
  return {value.data(), lies(about) ? UINT64_C(1) << 60 : value.size()};
}

// Acts when the library is mapped, and when the process ends.
struct Static {
  Static() { act("load"); }
  ~Static() noexcept(false) { act("exit"); }
};
const Static kStatic;

// The text is as long as one may be.
loci_str long_text() {
  static const std::string text(LOCI_MAX_TEXT, 'z');
  return {text.data(), text.size()};
}

loci_plugin the_plugin;
const loci_host_api* the_host = nullptr;

loci_error* probe(loci_plugin*, int32_t* out_score, loci_str*) {
  act("probe");
  *out_score = 1;
  return nullptr;
}

loci_error* count(loci_plugin*, uint32_t* out_count) {
  act("count");
  *out_count = lies("devices") ? 1'000'000 : lies("many devices") ? LOCI_MAX_DEVICES : 1;
  return nullptr;
}

loci_error* describe(loci_plugin*, uint32_t, loci_device_info* out_info) {
  act("describe");
  out_info->flags = LOCI_DEVICE_INLINE | LOCI_DEVICE_HOST_MEMORY;
  out_info->name = stated("device name", "risky");
  if (lies("many devices")) {
    out_info->name = out_info->arch = out_info->uuid = out_info->driver = long_text();
  }
  out_info->alignment = 64;
  out_info->min_chunk = 1;
  return nullptr;
}

loci_error* open_device(loci_plugin*, uint32_t, loci_device** out_device) {
  static int device;
  act("open");
  if (asks("fail in open")) {
    return the_host->error_make(the_host->host, LOCI_CODE_UNAVAILABLE, text("it is busy"), nullptr);
  }
  if (asks("fail at length in open")) {
    static const std::string message(std::size_t{16} * LOCI_MAX_TEXT, 'y');
    return the_host->error_make(the_host->host, LOCI_CODE_UNAVAILABLE, text(message), nullptr);
  }
  *out_device = reinterpret_cast<loci_device*>(&device);
  return nullptr;
}
void close_device(loci_device*) { act("close"); }

const loci_kernel_def* defs(loci_plugin*, uint64_t* out_count) {
  static loci_kernel_def def{};
  act("defs");
  def.struct_size = sizeof def;
  def.op = text("relu");
  def.name = stated("kernel name", "risky");
  def.op_version = 1;
  def.dtype_mask = LOCI_DTYPE_BIT(LOCI_DTYPE_F32);
  *out_count = lies("kernels") ? UINT64_C(1) << 40 : 1;
  return &def;
}
int32_t supports(loci_plugin*, const loci_kernel_def*, const loci_op_desc*, loci_reason*) {
  act("supports");
  return 1;
}
loci_error* create_kernel(loci_plugin*, const loci_kernel_def*, loci_device*, const loci_op_desc*,
                          loci_kernel**) {
  act("create_kernel");
  return nullptr;
}
void destroy_kernel(loci_kernel*) {}

loci_error* launch(const loci_prepared*, const loci_launch* launched) {
  act("launch");
  const loci_view& source = *launched->inputs[0];
  const auto* in = static_cast<const float*>(source.data);
  auto* out = static_cast<float*>(launched->outputs[0]->data);
  for (uint64_t i = 0; i < source.bytes / sizeof(float); ++i) out[i] = in[i] > 0 ? in[i] : 0;
  return nullptr;
}
loci_error* prepare(loci_kernel*, const loci_op_desc*, loci_prepared_info* out_info) {
  static int prepared;
  act("prepare");
  out_info->prepared = reinterpret_cast<loci_prepared*>(&prepared);
  out_info->launch = launch;
  return nullptr;
}
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

loci_error* create(const loci_host_api* host, const loci_kv*, uint64_t, loci_plugin** out_plugin) {
  act("create");
  the_host = host;
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
  desc.id = stated("id", "org.loci.test.risky");
  desc.version = text("1.2.3");
  desc.digest = text(LOCI_ABI_DIGEST);
  desc.create = create;
  desc.destroy = destroy;
  desc.get_interface = get_interface;
  return &desc;
}
