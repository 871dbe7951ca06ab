#include <exception>
#include <loci/graph.hpp>
#include <utility>

#include "framework/capture/graph_impl.h"
#include "framework/core/environment.h"
#include "framework/core/log.h"
#include "framework/core/raise.h"
#include "framework/program/builder.h"

namespace loci {
inline namespace v0 {

void GraphPool::empty_cache() const {
  if (memory_ != nullptr) memory_->give_back();
}
std::uint64_t GraphPool::bytes_in_use() const {
  return memory_ == nullptr ? 0 : memory_->stats().in_use;
}
std::uint64_t GraphPool::bytes_held() const {
  if (memory_ == nullptr) return 0;
  const memory::Stats stats = memory_->stats();
  return stats.in_use + stats.cached;
}

Graph::Graph()
    : Graph(Place(program::current_guard().empty() ? "cpu" : program::current_guard())) {}
Graph::Graph(const Place& place, CaptureMode mode, const GraphPool& pool)
    : Graph(place, GraphOptions{mode, pool, GraphSplitting::kAllowed}) {}
Graph::Graph(const Place& place, const GraphOptions& options) {
  core::check_environment();
  impl_ = std::make_unique<capture::GraphImpl>(place, options);
}
Graph::~Graph() { capture::GraphImpl::end_with_handle(std::move(impl_)); }
Graph::Graph(Graph&& other) noexcept = default;
Graph& Graph::operator=(Graph&& other) noexcept = default;

namespace {

capture::GraphImpl& checked(const std::unique_ptr<capture::GraphImpl>& impl) {
  if (impl != nullptr) [[likely]]
    return *impl;
  core::raise(ErrorCode::kInvalidArgument,
              "[graph] this graph has been moved from; use the one that it was moved to");
}

}  // namespace

const Place& Graph::place() const { return checked(impl_).place(); }
CaptureMode Graph::mode() const { return checked(impl_).mode(); }
void Graph::capture_begin() { checked(impl_).begin(); }
void Graph::capture_end() { checked(impl_).end(); }
void Graph::abort() noexcept {
  if (impl_ != nullptr) impl_->abort();
}
bool Graph::is_capturing() const { return checked(impl_).is_capturing(); }
bool Graph::is_captured() const { return checked(impl_).is_captured(); }
void Graph::replay() { checked(impl_).replay(nullptr, __builtin_return_address(0)); }
void Graph::replay(const Stream& stream) {
  checked(impl_).replay(stream.queue().get(), __builtin_return_address(0));
}
void Graph::reset() { checked(impl_).reset(); }
GraphPool Graph::pool() const { return GraphPool(checked(impl_).memory()); }
GraphStats Graph::stats() const { return checked(impl_).stats(); }
void Graph::print_to_dot_files(const std::string& prefix) const { checked(impl_).print(prefix); }

CaptureScope::CaptureScope(Graph& graph) : graph_(graph), exceptions_(std::uncaught_exceptions()) {
  graph_.capture_begin();
}

CaptureScope::~CaptureScope() {
  if (has_ended_) return;
  try {
    if (std::uncaught_exceptions() > exceptions_) {
      graph_.abort();
    } else {
      graph_.capture_end();
    }
  } catch (const Error& error) {
    core::log(core::Module::kCapture, core::Level::kError, "{}", error.what());
  }
}

void CaptureScope::end() {
  has_ended_ = true;
  graph_.capture_end();
}

}  // namespace v0
}  // namespace loci
