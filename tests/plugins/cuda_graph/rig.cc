#include "tests/plugins/cuda_graph/rig.h"

#include <dlfcn.h>

#include <cstdlib>
#include <utility>

#include "tests/support/paths.h"

namespace loci::testing {
namespace {

constexpr std::uint64_t kBytes = 4096;

std::string double_path() { return test::build_path("lib/loci/cuda_double/libcuda.so.1"); }

// The double's settings, and the plugin that opens it.
DrivenPlugin open_device_plugin(const char* setup) {
  ::setenv("LOCI_CUDA_DOUBLE", setup, /*replace=*/1);
  return DrivenPlugin(open_plugin(test::plugin_file("cuda")), {{"driver", double_path()}});
}

loci_copy copy_of(std::uint32_t source_end, const void* source, std::uint32_t target_end,
                  void* target) {
  loci_copy copy{};
  copy.struct_size = sizeof copy;
  copy.source_end = source_end;
  copy.target_end = target_end;
  copy.source = source;
  copy.target = target;
  copy.row_bytes = sizeof(std::uint64_t);
  copy.rows = 1;
  return copy;
}

}  // namespace

DrivenPlugin open_capturing(std::map<std::string, std::string> options) {
  return DrivenPlugin(open_plugin(test::plugin_file("cuda_graph")), std::move(options));
}

const loci_capture_api& capture_api_of(DrivenPlugin& plugin) {
  loci_host_info info{};
  info.struct_size = sizeof info;
  const loci_plugin_desc* desc = open_plugin(test::plugin_file("cuda_graph"))(&info);
  const void* table = nullptr;
  const std::string name = LOCI_CAPTURE_INTERFACE;
  plugin.host().check(desc->get_interface(plugin.plugin(), text_of(name), 0, &table));
  return *static_cast<const loci_capture_api*>(table);
}

void* find_driver_function(const char* name) {
  void* library = ::dlopen(double_path().c_str(), RTLD_NOW | RTLD_LOCAL);
  return library == nullptr ? nullptr : ::dlsym(library, name);
}

Rig::Rig(const char* setup, std::map<std::string, std::string> options)
    : plugin_(open_device_plugin(setup)), capturing_(open_capturing(std::move(options))) {
  api_ = &capture_api_of(capturing_);
  check(device_api().open(plugin_.plugin(), 0, &device_));
  const loci_native_handles handles{sizeof handles, 0, this, &native_handle};
  capturing_.host().check(api_->open(capturing_.plugin(), 0, &handles, &capturer_));
  check(device_api().stream_create(device_, 0, &stream_));
  check(device_api().mem_alloc(device_, LOCI_MEMORY_DEVICE, kBytes, nullptr, &memory_));
}

Rig::~Rig() {
  static_cast<void>(device_api().mem_free(device_, LOCI_MEMORY_DEVICE, memory_, nullptr));
  device_api().stream_destroy(stream_);
  api_->close(capturer_);
  device_api().close(device_);
}

loci_error* Rig::native_handle(void* context, loci_stream* stream, loci_str name,
                               void** out_handle) {
  const Rig& rig = *static_cast<Rig*>(context);
  return rig.device_api().native_handle(rig.device_, stream, name, out_handle);
}

CUstream Rig::driver_stream() const {
  void* handle = nullptr;
  const std::string name = "cuda.stream";
  static_cast<void>(device_api().native_handle(device_, stream_, text_of(name), &handle));
  return static_cast<CUstream>(handle);
}

void Rig::begin() { check(api_->begin(capturer_, stream_)); }

void Rig::announce(const std::string& op, std::uint64_t item) {
  const loci_capture_op announced{sizeof announced, 0, text_of(op), item};
  check(api_->annotate(capturer_, stream_, &announced));
}

void Rig::depend(const std::vector<std::uint64_t>& items) {
  check(api().depend(capturer(), stream(), items.data(), items.size()));
}

void Rig::copy(int from, int to) {
  const loci_copy within = copy_of(LOCI_END_DEVICE, address(from), LOCI_END_DEVICE, address(to));
  std::uint32_t blocked = 0;
  check(device_api().copy(device_, &within, stream_, &blocked));
}

void Rig::set(int number, std::uint64_t value) {
  const loci_copy there = copy_of(LOCI_END_HOST, &value, LOCI_END_DEVICE, address(number));
  std::uint32_t blocked = 0;
  check(device_api().copy(device_, &there, stream_, &blocked));
}

std::uint64_t Rig::value_of(int number) {
  std::uint64_t value = 0;
  const loci_copy back = copy_of(LOCI_END_DEVICE, address(number), LOCI_END_HOST, &value);
  std::uint32_t blocked = 0;
  check(device_api().copy(device_, &back, stream_, &blocked));
  return value;
}

loci_graph* Rig::end() {
  loci_graph* graph = nullptr;
  check(api_->end(capturer_, stream_, &graph));
  return graph;
}

loci_graph_exec* Rig::instantiate(const loci_graph* graph) {
  loci_graph_exec* exec = nullptr;
  check(api_->instantiate(graph, &exec));
  return exec;
}

void Rig::launch(loci_graph_exec* exec) {
  const loci_graph_launch launch{sizeof launch, 1, 1, 0, stream_};
  check(api_->launch(exec, &launch));
}

std::string Rig::dump(const loci_graph* graph) {
  std::string text;
  const auto write = [](void* context, loci_str piece) {
    static_cast<std::string*>(context)->append(piece.data, piece.size);
  };
  check(api_->dump(graph, write, &text));
  return text;
}

}  // namespace loci::testing
