// Graphs of one CUDA device. What the members do: loci/plugin/capturer.hpp.
#pragma once

#include <cstdint>
#include <loci/plugin/capturer.hpp>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>

#include "graph.h"
#include "recording.h"

namespace loci::cuda_graph {

class DotFiles;
class Plugin;

// Any thread may call; streams are recorded side by side.
class Capturer {
 public:
  using Graph = cuda_graph::Graph;
  using Exec = cuda_graph::Exec;

  Capturer(Plugin& plugin, std::uint32_t index, const sdk::NativeHandles& handles);
  ~Capturer();
  Capturer(const Capturer&) = delete;
  Capturer& operator=(const Capturer&) = delete;

  void begin(loci_stream* stream);
  void annotate(loci_stream* stream, std::string_view op, std::uint64_t item);
  void depend(loci_stream* stream, const std::uint64_t* items, std::uint64_t count);
  [[nodiscard]] std::unique_ptr<Graph> end(loci_stream* stream);
  void abort(loci_stream* stream);
  [[nodiscard]] std::uint32_t status(loci_stream* stream) const;
  void loop_begin(loci_stream* stream, loci_stream* body, const void* condition);
  void loop_end(loci_stream* stream);
  void branch_begin(loci_stream* stream, loci_stream* body, const void* condition);
  void branch_else(loci_stream* stream);
  void branch_end(loci_stream* stream);

 private:
  void begin(RecordedControl::Kind kind, loci_stream* stream, loci_stream* body,
             const void* condition);
  void end(RecordedControl::Kind kind, loci_stream* stream);
  // That the stream, or the body of what is open, is of. Throws Error where there is none.
  [[nodiscard]] std::shared_ptr<Recording> recording_around(CUstream stream) const;
  // NULL where the stream does not record.
  [[nodiscard]] std::shared_ptr<Recording> find(CUstream stream) const;
  [[nodiscard]] std::shared_ptr<Recording> take(CUstream stream);
  [[noreturn]] void refuse_idle() const;

  std::shared_ptr<const Driver> driver_;
  DotFiles& dots_;
  ConditionSetter setter_;
  mutable std::mutex mutex_;
  std::map<CUstream, std::shared_ptr<Recording>> recordings_;
  std::map<CUstream, std::shared_ptr<Recording>> bodies_;  // of loops and branches that are open
};

}  // namespace loci::cuda_graph
