// A rig with streams for the bodies of loops and branches.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "tests/plugins/cuda_graph/rig.h"

namespace loci::testing {

// Memory 3 is the condition.
class ControlRig : public Rig {
 public:
  using Options = std::map<std::string, std::string>;
  explicit ControlRig(const Options& options = {}, const char* setup = "checks=all")
      : Rig(setup, options) {
    check(device_api().stream_create(device(), 0, &body_));
    check(device_api().stream_create(device(), 0, &inner_));
  }
  ~ControlRig() {
    device_api().stream_destroy(inner_);
    device_api().stream_destroy(body_);
  }

  void begin_loop() {
    begin();
    announce("while", 1);
    open_loop(body_);
  }
  void open_loop(loci_stream* body) {
    check(api().loop_begin(capturer(), stream(), body, address(3)));
  }
  void end_loop() { check(api().loop_end(capturer(), stream())); }
  void begin_branch() {
    begin();
    announce("case", 1);
    open_branch(stream(), body_, 3);
  }
  void open_branch(loci_stream* around, loci_stream* body, int condition) {
    check(api().branch_begin(capturer(), around, body, address(condition)));
  }
  void otherwise(loci_stream* around) { check(api().branch_else(capturer(), around)); }
  void end_branch(loci_stream* around) { check(api().branch_end(capturer(), around)); }
  void copy_in_body(int from, int to) { copy_in(body_, from, to); }
  void copy_in(loci_stream* stream, int from, int to) {
    loci_copy within{};
    within.struct_size = sizeof within;
    within.source_end = LOCI_END_DEVICE;
    within.target_end = LOCI_END_DEVICE;
    within.source = address(from);
    within.target = address(to);
    within.row_bytes = sizeof(std::uint64_t);
    within.rows = 1;
    std::uint32_t blocked = 0;
    check(device_api().copy(device(), &within, stream, &blocked));
  }
  // The loop brings what is in 0 to 3, a step in each round.
  loci_graph* record_steps() {
    begin_loop();
    for (const int to : {3, 2, 1}) copy_in_body(to - 1, to);
    end_loop();
    return end();
  }
  // 1 comes to 0 where 3 holds, else 2; the byte is looked at before.
  loci_graph* record_choice() {
    begin_branch();
    copy_in_body(1, 0);
    copy_in_body(2, 3);
    otherwise(stream());
    copy_in_body(2, 0);
    end_branch(stream());
    return end();
  }
  void expect_choice(loci_graph* graph) {
    loci_graph_exec* exec = instantiate(graph);
    for (const std::uint64_t condition : {1, 0, 0, 7}) {
      set(0, 0);
      set(1, 512);
      set(2, 1024);
      set(3, condition);
      launch(exec);
      EXPECT_EQ(value_of(0), condition == 0 ? 1024U : 512U) << condition;
    }
    api().destroy_exec(exec);
  }
  // Work of either stream is done at once again.
  void expect_free() {
    set(0, 5);
    EXPECT_EQ(value_of(0), 5U);
    check(device_api().stream_synchronize(body_));
    check(device_api().stream_synchronize(inner_));
  }
  [[nodiscard]] loci_stream* body() const { return body_; }
  [[nodiscard]] loci_stream* inner() const { return inner_; }

 private:
  loci_stream* body_ = nullptr;
  loci_stream* inner_ = nullptr;  // a body within that one
};

}  // namespace loci::testing
