#include "framework/tracing/row_proof.h"

#include <fmt/format.h>

#include <cstring>
#include <exception>

#include "framework/program/row_independence.h"
#include "framework/tensor/tensor_impl.h"

namespace loci::tracing {
namespace {

// One row fewer, as a caller may give; or one more, where fewer are none.
std::vector<Tensor> with_other_rows(const std::vector<Tensor>& filled) {
  std::vector<Tensor> others;
  for (const Tensor& tensor : filled) {
    Shape shape = tensor.shape();
    const std::int64_t rows = shape[0];
    shape.set(0, 2);
    others.push_back(rows > 1 ? tensor.rows(0, rows - 1)
                              : Tensor::empty(shape, tensor.dtype(), tensor.place()));
  }
  return others;
}

Traced traced(const TensorFunction& fn, const std::vector<Tensor>& examples) {
  TraceOptions options;
  for (std::size_t i = 0; i < examples.size(); ++i) {
    options.input_names.push_back(fmt::format("input_{}", i));
  }
  return trace(fn, examples, options);
}

program::RowForm row_form(const Traced& traced) {
  program::RowForm form;
  form.block = &traced.program.impl()->main();
  for (const Variable& input : traced.inputs) form.inputs.push_back(input.id());
  for (const Variable& output : traced.outputs) form.outputs.push_back(output.id());
  form.rows = traced.inputs.front().shape()[0];
  return form;
}

bool is_same(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype() || a.shape() != b.shape() || a.place() != b.place()) return false;
  if (a.impl()->storage() == b.impl()->storage() && a.impl()->offset() == b.impl()->offset()) {
    return true;
  }
  const Tensor x = a.to(Place());
  const Tensor y = b.to(Place());
  return x.bytes() == 0 || std::memcmp(x.read_data(), y.read_data(), x.bytes()) == 0;
}

// Objects to constants that differ between traces; these come from outside, or from host elements.
std::string constants_objection(const Traced& one, const Traced& other) {
  for (const std::string& name : one.scope.names()) {
    if (other.scope.has(name) && is_same(one.scope.find(name), other.scope.find(name))) continue;
    return fmt::format(
        "'{}', which it does not compute of its inputs, is another tensor in each call", name);
  }
  return {};
}

}  // namespace

std::string row_objection(const TensorFunction& fn, const std::vector<Tensor>& filled) {
  try {
    const Traced one = traced(fn, filled);
    const Traced other = traced(fn, with_other_rows(filled));
    const std::string reason = program::row_dependence(row_form(one), row_form(other));
    return reason.empty() ? constants_objection(one, other) : reason;
  } catch (const std::exception& error) {
    return fmt::format("it cannot be traced: {}", error.what());
  }
}

}  // namespace loci::tracing
