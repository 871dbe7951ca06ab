// A gradient while contributions to it come in, in a program or on the tape.
#pragma once

#include <cstdint>
#include <loci/op_call.hpp>
#include <loci/ops/elementwise.hpp>
#include <utility>
#include <vector>

namespace loci::autograd {

// `Rows` has rows and values: row i of the values is that of row rows[i] of the whole, and rows
// that occur several times add up. Sums are written in ops, on values as `Rows` has them.
template <class Rows>
struct GradientSum {
  using Value = decltype(Rows::values);

  Value dense;             // the sum of dense contributions; undefined without one
  std::vector<Rows> rows;  // those that are zero but for some rows
  std::int32_t count = 0;  // of parts of the dense sum

  [[nodiscard]] bool defined() const { return dense.defined() || !rows.empty(); }
  [[nodiscard]] bool is_sparse() const { return !dense.defined() && !rows.empty(); }

  // Where a sum has several parts, told(part, number) gets each before it is added.
  template <class Told>
  void add(Value part, const Told& told) {
    if (!dense.defined()) {
      dense = std::move(part);
      count = 1;
      return;
    }
    if (count == 1) told(dense, 0);
    told(part, count++);
    dense = elementwise_add(dense, part);
  }
  void add(Value part) {
    add(std::move(part), [](const Value&, std::int32_t) {});
  }
  void add(GradientSum&& other) {
    if (other.dense.defined()) add(std::move(other.dense));
    for (Rows& part : other.rows) rows.push_back(std::move(part));
  }

  // Rows become part of the dense sum. form() is a value with the form of the whole.
  template <class Form, class Told>
  void make_dense(const Form& form, const Told& told) {
    for (const Rows& part : std::exchange(rows, {})) {
      add(OpCall<Value>("embedding_grad")
              .input("weight", form())
              .input("ids", part.rows)
              .input("out_grad", part.values)
              .result(),
          told);
    }
  }
  template <class Form>
  void make_dense(const Form& form) {
    make_dense(form, [](const Value&, std::int32_t) {});
  }

  // Rows stay rows: those of several contributions, one after the other.
  void join_rows() {
    if (rows.size() < 2) return;
    std::vector<Value> all_rows;
    std::vector<Value> all_values;
    for (const Rows& part : rows) {
      all_rows.push_back(part.rows);
      all_values.push_back(part.values);
    }
    rows = {{concatenated(all_rows), concatenated(all_values)}};
  }

 private:
  static Value concatenated(const std::vector<Value>& parts) {
    OpCall<Value> call("concat");
    call.inputs_of("x", parts).attr("axis", std::int64_t{0});
    return call.result();
  }
};

}  // namespace loci::autograd
