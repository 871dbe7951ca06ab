// A replay of a graph that draws random numbers.
#pragma once

#include <memory>
#include <utility>

#include "framework/capture/captured_graph.h"
#include "framework/eager/batch.h"
#include "framework/eager/generator.h"

namespace loci::capture {

// Sets the graph's random state before its work, so that each replay draws what the same ops would
// draw next without a graph. Everything else is the graph's.
class DrawingReplay final : public eager::Batch {
 public:
  DrawingReplay(std::shared_ptr<CapturedGraph> graph, eager::Generator::Position position)
      : graph_(std::move(graph)), position_(position) {}

  void enter_uses(const tensor::Ticket& ticket, InlineList<eager::Dependency, 4>* before,
                  eager::Sources* sources) override {
    graph_->enter_uses(ticket, before, sources);
  }
  [[nodiscard]] bool is_ready() const override { return graph_->is_ready(); }
  [[nodiscard]] bool is_small() const override { return graph_->is_small(); }
  [[nodiscard]] std::shared_ptr<const eager::BatchParts> parts() const override {
    return graph_->parts();
  }
  [[nodiscard]] std::uint64_t correlations() const override {
    return graph_->correlations() + kStateElements;
  }
  void run(eager::Queue& queue, loci_stream* stream, std::uint64_t correlation) override;
  void fail(const std::shared_ptr<device::Failure>& failure) override { graph_->fail(failure); }
  [[nodiscard]] std::shared_ptr<device::Failure> failed_input() const override {
    return graph_->failed_input();
  }
  void clear_failures() override { graph_->clear_failures(); }
  [[nodiscard]] std::string describe() const override { return graph_->describe(); }

 private:
  static constexpr std::uint64_t kStateElements = 3;

  std::shared_ptr<CapturedGraph> graph_;
  eager::Generator::Position position_;
};

}  // namespace loci::capture
