#include "framework/profiler/call_tree.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

#include "framework/profiler/path_keys.h"
#include "framework/profiler/tree_shape.h"

namespace loci::profiler {
namespace {

loci_profile_node node_at(const TreeShape::Place& place, std::uint32_t offset,
                          std::uint32_t thread) {
  loci_profile_node node{};
  node.min_ns = UINT64_MAX;
  node.label = LOCI_PROFILE_NONE;
  node.parent = place.parent == LOCI_PROFILE_NONE ? place.parent : place.parent + offset;
  node.descendants = place.descendants;
  node.depth = place.depth;
  node.thread = thread;
  return node;
}

std::uint64_t span_count(const loci_profile_node& node) { return node.calls + node.parts; }

void count_span(loci_profile_node& node, const loci_profile_span& span, const Label& label) {
  const std::uint64_t duration = span.end_ns - span.begin_ns;
  const bool is_part = (span.flags & LOCI_SPAN_PART) != 0;
  if (span_count(node) == 0 || (node.calls == 0 && !is_part)) node.label = span.label;
  node.total_ns += duration;
  node.self_ns += span.self_ns;
  node.device_ns += span.device_ns;
  if (is_part) {
    ++node.parts;
    return;
  }
  ++node.calls;
  node.min_ns = std::min(node.min_ns, duration);
  node.max_ns = std::max(node.max_ns, duration);
  node.flops += label.flops;
  node.bytes += label.bytes;
}

void count_node(loci_profile_node& node, const loci_profile_node& part) {
  node.calls += part.calls;
  node.parts += part.parts;
  node.total_ns += part.total_ns;
  node.self_ns += part.self_ns;
  node.min_ns = std::min(node.min_ns, part.min_ns);
  node.max_ns = std::max(node.max_ns, part.max_ns);
  node.device_ns += part.device_ns;
  node.flops += part.flops;
  node.bytes += part.bytes;
}

// Orders nodes by the end of their first call. Of equal ends the inner one comes first, then the
// one that stands first.
void set_first_order(loci_profile_node* nodes, const std::vector<std::uint64_t>& first_ends) {
  std::vector<std::uint32_t> order(first_ends.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    if (first_ends[a] != first_ends[b]) return first_ends[a] < first_ends[b];
    return nodes[a].depth > nodes[b].depth;
  });
  for (std::size_t i = 0; i < order.size(); ++i) {
    nodes[order[i]].first_order = static_cast<std::uint32_t>(i);
  }
}

// Gives each node from `first` on its place in the list of spans, which begins at `at`.
void reserve_spans(std::vector<loci_profile_node>& nodes, std::size_t first, std::uint64_t at) {
  for (std::size_t i = first; i < nodes.size(); ++i) {
    nodes[i].first_span = at;
    at += span_count(nodes[i]);
  }
}

class Builder {
 public:
  Builder(const Recording& recording, Nesting& nesting)
      : recording_(recording), nesting_(nesting), keys_(path_keys(recording.labels)) {
    trees_.thread_node_of_span.resize(nesting.spans.size());
    trees_.thread_node_spans.resize(nesting.spans.size());
    trees_.node_spans.resize(nesting.spans.size());
  }

  CallTrees build() {
    for (std::uint32_t thread = 0; thread < recording_.threads.size(); ++thread) {
      add_thread(thread);
    }
    merge();
    return std::move(trees_);
  }

 private:
  void add_thread(std::uint32_t thread) {
    const std::uint32_t begin = nesting_.first_of_thread[thread];
    const std::uint32_t end = nesting_.first_of_thread[thread + 1];
    const std::vector<TreeShape::Place> places = shape_of(begin, end);
    const auto offset = static_cast<std::uint32_t>(trees_.thread_nodes.size());
    trees_.thread_nodes.resize(offset + places.size());
    for (const TreeShape::Place& place : places) {
      trees_.thread_nodes[offset + place.position] = node_at(place, offset, thread);
    }
    for (std::uint32_t i = begin; i < end; ++i) {
      std::uint32_t& node = trees_.thread_node_of_span[i];
      node = offset + places[node].position;
      const loci_profile_span& span = nesting_.spans[i];
      count_span(trees_.thread_nodes[node], span, recording_.labels[span.label]);
    }
    list_spans(begin, end, offset);
    order_nodes(offset);
  }

  // Leaves the spans' nodes, as the shape numbers them, in thread_node_of_span.
  std::vector<TreeShape::Place> shape_of(std::uint32_t begin, std::uint32_t end) {
    TreeShape shape;
    for (std::uint32_t i = begin; i < end; ++i) {
      const loci_profile_span& span = nesting_.spans[i];
      const std::uint32_t parent = span.parent == LOCI_PROFILE_NONE
                                       ? LOCI_PROFILE_NONE
                                       : trees_.thread_node_of_span[span.parent];
      trees_.thread_node_of_span[i] = shape.find_or_add(parent, keys_[span.label]);
    }
    return shape.preorder();
  }

  void list_spans(std::uint32_t begin, std::uint32_t end, std::uint32_t first_node) {
    std::vector<loci_profile_node>& nodes = trees_.thread_nodes;
    reserve_spans(nodes, first_node, begin);
    std::vector<std::uint64_t> next(nodes.size() - first_node);
    for (std::size_t i = 0; i < next.size(); ++i) next[i] = nodes[first_node + i].first_span;
    for (std::uint32_t i = begin; i < end; ++i) {
      trees_.thread_node_spans[next[trees_.thread_node_of_span[i] - first_node]++] = i;
    }
  }

  void order_nodes(std::uint32_t first_node) {
    std::vector<std::uint64_t> ends;
    ends.reserve(trees_.thread_nodes.size() - first_node);
    for (std::size_t i = first_node; i < trees_.thread_nodes.size(); ++i) {
      ends.push_back(first_span(trees_.thread_nodes[i]).end_ns);
    }
    set_first_order(trees_.thread_nodes.data() + first_node, ends);
  }

  // Returns the first span of a node of a thread.
  [[nodiscard]] const loci_profile_span& first_span(const loci_profile_node& node) const {
    return nesting_.spans[trees_.thread_node_spans[node.first_span]];
  }

  void merge() {
    merged_.resize(trees_.thread_nodes.size());
    place_merged_nodes();
    std::vector<std::uint64_t> first_begins(trees_.nodes.size(), UINT64_MAX);
    std::vector<std::uint64_t> first_ends(trees_.nodes.size(), UINT64_MAX);
    for (std::size_t i = 0; i < merged_.size(); ++i) {
      const loci_profile_node& part = trees_.thread_nodes[i];
      const loci_profile_span& first = first_span(part);
      loci_profile_node& node = trees_.nodes[merged_[i]];
      count_node(node, part);
      const bool is_first_call = part.calls != 0 && first.begin_ns < first_begins[merged_[i]];
      if (is_first_call) first_begins[merged_[i]] = first.begin_ns;
      if (is_first_call || node.label == LOCI_PROFILE_NONE) node.label = part.label;
      first_ends[merged_[i]] = std::min(first_ends[merged_[i]], first.end_ns);
    }
    set_first_order(trees_.nodes.data(), first_ends);
    list_merged_spans();
    for (std::vector<loci_profile_node>* nodes : {&trees_.nodes, &trees_.thread_nodes}) {
      for (loci_profile_node& node : *nodes) {
        if (node.calls == 0) node.min_ns = 0;
      }
    }
  }

  // A thread's nodes are in preorder, so that a parent is merged before its children.
  void place_merged_nodes() {
    TreeShape shape;
    for (std::size_t i = 0; i < merged_.size(); ++i) {
      const loci_profile_node& node = trees_.thread_nodes[i];
      const std::uint32_t parent =
          node.parent == LOCI_PROFILE_NONE ? LOCI_PROFILE_NONE : merged_[node.parent];
      merged_[i] = shape.find_or_add(parent, keys_[node.label]);
    }
    const std::vector<TreeShape::Place> places = shape.preorder();
    trees_.nodes.resize(places.size());
    for (const TreeShape::Place& place : places) {
      trees_.nodes[place.position] = node_at(place, 0, LOCI_PROFILE_NONE);
    }
    for (std::uint32_t& node : merged_) node = places[node].position;
  }

  void list_merged_spans() {
    reserve_spans(trees_.nodes, 0, 0);
    std::vector<std::uint64_t> next(trees_.nodes.size());
    std::vector<bool> is_mixed(trees_.nodes.size());
    for (std::size_t i = 0; i < next.size(); ++i) next[i] = trees_.nodes[i].first_span;
    for (std::size_t i = 0; i < merged_.size(); ++i) {
      const loci_profile_node& part = trees_.thread_nodes[i];
      std::uint64_t& at = next[merged_[i]];
      is_mixed[merged_[i]] = is_mixed[merged_[i]] || at != trees_.nodes[merged_[i]].first_span;
      for (std::uint64_t k = 0; k < span_count(part); ++k) {
        const std::uint32_t span = trees_.thread_node_spans[part.first_span + k];
        nesting_.spans[span].node = merged_[i];
        trees_.node_spans[at++] = span;
      }
    }
    for (std::size_t i = 0; i < trees_.nodes.size(); ++i) {
      if (is_mixed[i]) sort_spans(trees_.nodes[i]);
    }
  }

  // Sorts the spans of a node that several threads have.
  void sort_spans(const loci_profile_node& node) {
    const auto first = trees_.node_spans.begin() + static_cast<std::ptrdiff_t>(node.first_span);
    std::stable_sort(first, first + static_cast<std::ptrdiff_t>(span_count(node)),
                     [this](std::uint32_t a, std::uint32_t b) {
                       return nesting_.spans[a].begin_ns < nesting_.spans[b].begin_ns;
                     });
  }

  const Recording& recording_;
  Nesting& nesting_;
  const std::vector<std::uint32_t> keys_;
  CallTrees trees_;
  std::vector<std::uint32_t> merged_;  // the merged node of each node of a thread
};

}  // namespace

CallTrees build_call_trees(const Recording& recording, Nesting& nesting) {
  return Builder(recording, nesting).build();
}

}  // namespace loci::profiler
