#include "plugins/sim/graph_table.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <string_view>

#include "plugins/sim/graph.h"
#include "plugins/sim/stream.h"

namespace loci::sim {
namespace {

// No string, whose destructor would have to be mapped as the thread ends.
thread_local std::array<char, 1024> latest_message{};

std::int32_t failed(std::int32_t code, std::string_view what) noexcept {
  const std::size_t size = std::min(what.size(), latest_message.size() - 1);
  std::memcpy(latest_message.data(), what.data(), size);
  latest_message[size] = '\0';
  return code;
}

template <class Body>
std::int32_t checked(const Body& body) noexcept {
  try {
    body();
    return 0;
  } catch (const sdk::Error& error) {
    return failed(error.code(), error.what());
  } catch (const std::bad_alloc&) {
    return failed(LOCI_CODE_OUT_OF_MEMORY, "[sim] no host memory is left");
  } catch (const std::exception& error) {
    return failed(LOCI_CODE_INTERNAL, error.what());
  }
}

std::string_view view(DriverText text) {
  return text.size == 0 ? std::string_view() : std::string_view(text.data, text.size);
}

GraphDriver make_driver() {
  GraphDriver driver{};
  driver.message = []() -> const char* { return latest_message.data(); };
  driver.begin = [](Stream* stream) { return checked([&] { stream->begin_recording(); }); };
  driver.annotate = [](Stream* stream, DriverText op, std::uint64_t item) {
    return checked([&] { stream->annotate(view(op), item); });
  };
  driver.depend = [](Stream* stream, const std::uint64_t* items, std::uint64_t count) {
    return checked([&] { stream->depend(items, count); });
  };
  driver.end = [](Stream* stream, DriverGraph** out) {
    return checked([&] { *out = new DriverGraph(stream->end_recording()); });
  };
  driver.abort = [](Stream* stream) { return checked([&] { stream->abort_recording(); }); };
  driver.status = [](Stream* stream) { return stream->recording_status(); };
  driver.node_count = [](const DriverGraph* graph) -> std::uint64_t {
    return graph->nodes()->size();
  };
  driver.node = [](const DriverGraph* graph, std::uint64_t index) { return graph->node(index); };
  driver.bytes = [](const DriverGraph* graph) { return graph->bytes(); };
  driver.destroy_graph = [](DriverGraph* graph) { delete graph; };
  driver.instantiate = [](const DriverGraph* graph, DriverExec** out) {
    return checked([&] { *out = new DriverExec(*graph); });
  };
  driver.launch = [](DriverExec* exec, Stream* stream, const DriverLaunch* launch) {
    return checked([&] { exec->launch(*stream, *launch); });
  };
  driver.patch = [](DriverExec* exec, std::uint64_t item, std::uint32_t argument, void* address) {
    return checked([&] { exec->patch(item, argument, address); });
  };
  driver.update = [](DriverExec* exec, const DriverGraph* graph) {
    return checked([&] { exec->update(*graph); });
  };
  driver.destroy_exec = [](DriverExec* exec) { delete exec; };
  return driver;
}

}  // namespace

const GraphDriver& graph_driver() {
  static const GraphDriver kDriver = make_driver();
  return kDriver;
}

}  // namespace loci::sim
