// The implementation that a Graph handle refers to.
#pragma once

#include <cstdint>
#include <loci/graph.hpp>
#include <memory>

#include "framework/capture/capture_session.h"
#include "framework/capture/captured_graph.h"
#include "framework/core/context.h"

namespace loci::capture {

class GraphImpl {
 public:
  GraphImpl(const Place& place, const GraphOptions& options);
  ~GraphImpl();
  GraphImpl(const GraphImpl&) = delete;
  GraphImpl& operator=(const GraphImpl&) = delete;
  // A handle calls it at its end.
  static void end_with_handle(std::unique_ptr<GraphImpl> graph) noexcept;

  [[nodiscard]] const Place& place() const { return device_.place(); }
  [[nodiscard]] CaptureMode mode() const { return mode_; }
  [[nodiscard]] const std::shared_ptr<GraphMemory>& memory() const { return memory_; }
  [[nodiscard]] bool is_capturing() const { return session_ != nullptr; }
  [[nodiscard]] bool is_captured() const { return graph_ != nullptr; }
  [[nodiscard]] GraphStats stats() const;
  // Returns true if replays change that memory, which is not the graph's own.
  [[nodiscard]] bool changes(const tensor::Storage& storage) const {
    return graph_ != nullptr && graph_->outside.is_written(storage);
  }

  // How the host has read that memory within the capture: "[item()] of 'x' float32[1]"; empty if it
  // has not.
  [[nodiscard]] std::string host_read_of(const tensor::Storage& storage) const {
    return graph_ != nullptr ? graph_->outside.host_read_of(storage) : std::string();
  }

  void begin();
  void end();
  void abort() noexcept;
  void replay(eager::Queue* queue, const void* site);
  void reset();
  void print(const std::string& prefix) const;

 private:
  void require_current_context(const char* user) const;
  void end_graph() noexcept;

  core::ContextUse use_;  // first, so that what follows ends within it
  device::Device& device_;
  const CaptureMode mode_;
  const GraphSplitting splitting_;
  std::shared_ptr<GraphMemory> memory_;
  std::shared_ptr<CaptureSession> session_;
  std::shared_ptr<CapturedGraph> graph_;
  std::uint64_t number_ = 0;  // of the latest capture
  std::uint64_t begun_ns_ = 0;
  std::uint64_t capture_ns_ = 0;
  std::uint64_t replays_ = 0;
  GraphImpl* kept_before_ = nullptr;  // by the process's end
};

}  // namespace loci::capture
