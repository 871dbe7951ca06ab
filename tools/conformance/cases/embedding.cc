// embedding and its gradients.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <loci/ops.hpp>

#include "tools/conformance/case.h"

namespace loci::conformance {
namespace {

// Rows that occur once, several times and never.
Generator ids_below(std::int64_t rows) { return integers(0, rows - 1); }

std::vector<Expected> look_up_reference(const Array& weight, const Array& ids,
                                        std::int64_t padding) {
  const auto width = static_cast<std::size_t>(weight.shape[1]);
  Shape shape = ids.shape;
  shape.push_back(weight.shape[1]);
  Expected out = Expected::exact(weight.dtype, shape);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (static_cast<std::int64_t>(ids.values[i]) == padding) continue;
    const auto row = static_cast<std::size_t>(ids.values[i]);
    for (std::size_t column = 0; column < width; ++column) {
      out.values[i * width + column] = weight.values[row * width + column];
    }
  }
  return {out};
}

struct Table {
  Shape weight;
  Shape ids;
};
const Table kTables[] = {{{1, 1}, {}},        {{5, 3}, {4}},    {{7, 300}, {2, 3}},
                         {{4, 8}, {0, 3}},    {{3, 0}, {2}},    {{11, 5}, {2, 1, 3}},
                         {{1000, 150}, {64}}, {{3, 17}, {300}}, {{9, 16}, {40}}};

Case embedding_case(DType dtype, DType id_dtype, const Table& table,
                    const EmbeddingOptions& options) {
  return {
      .op = "embedding",
      .variant = fmt::format("{}_padding{}{}", dtype_name(id_dtype), options.padding_idx,
                             options.sparse ? "" : "_dense"),
      .inputs = {{dtype, table.weight, uniform(-2, 2)},
                 {id_dtype, table.ids, ids_below(table.weight[0])}},
      .build = [=](const Variables& in) { return Variables{embedding(in[0], in[1], options)}; },
      .reference =
          [=](const Arrays& in) { return look_up_reference(in[0], in[1], options.padding_idx); },
      .differentiate =
          table.weight.numel() > 1000 ? std::vector<std::size_t>{} : std::vector<std::size_t>{0}};
}

std::vector<Expected> scatter_reference(const Array& weight, const Array& ids, const Array& grad,
                                        std::int64_t padding) {
  const auto width = static_cast<std::size_t>(weight.shape[1]);
  Expected out = Expected::bounded(weight.dtype, weight.shape);
  std::vector<Real> terms(weight.size());
  std::vector<Real> magnitudes(weight.size());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (ids.values[i] < 0 || static_cast<std::int64_t>(ids.values[i]) == padding) continue;
    for (std::size_t column = 0; column < width; ++column) {
      const std::size_t target = static_cast<std::size_t>(ids.values[i]) * width + column;
      out.values[target] += grad.values[i * width + column];
      magnitudes[target] += std::abs(grad.values[i * width + column]);
      terms[target] += 1;
    }
  }
  for (std::size_t i = 0; i < out.size(); ++i) {
    out.slack[i] = std::max<Real>(terms[i] - 1, 0) * magnitudes[i];
  }
  return {out};
}

// The least id is 0, or -1, which names no row: the gradient, a look-up of the same ids, has none
// of it then.
Case embedding_grad_case(DType dtype, DType id_dtype, const Table& table, std::int64_t padding,
                         std::int64_t least = 0) {
  Shape grad = table.ids;
  grad.push_back(table.weight[1]);
  return {.op = "embedding_grad",
          .variant = fmt::format("{}_padding{}{}", dtype_name(id_dtype), padding,
                                 least < 0 ? "_no_rows" : ""),
          .inputs = {{dtype, table.weight, uniform(-2, 2)},
                     {id_dtype, table.ids, integers(least, table.weight[0] - 1)},
                     {dtype, grad, uniform(-2, 2)}},
          .build =
              [=](const Variables& in) {
                return OpCall<Variable>("embedding_grad")
                    .input("weight", in[0])
                    .input("ids", in[1])
                    .input("out_grad", in[2])
                    .attr("padding_idx", padding)
                    .results();
              },
          .reference =
              [=](const Arrays& in) { return scatter_reference(in[0], in[1], in[2], padding); },
          .differentiate = least < 0 || grad.numel() > 1000 ? std::vector<std::size_t>{}
                                                            : std::vector<std::size_t>{2}};
}

std::vector<Expected> rows_reference(const Array& ids, const Array& grad, std::int64_t padding) {
  const auto count = static_cast<std::int64_t>(ids.size());
  const std::int64_t width = grad.extent(-1);
  Expected rows = Expected::exact(ids.dtype, {count});
  rows.values = ids.values;
  Expected values = Expected::exact(grad.dtype, {count, width});
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t row = i / static_cast<std::size_t>(width);
    const bool pads = static_cast<std::int64_t>(ids.values[row]) == padding;
    values.values[i] = pads ? 0 : grad.values[i];
  }
  for (Real& row : rows.values) {
    if (padding >= 0 && static_cast<std::int64_t>(row) == padding) row = -1;
  }
  return {rows, values};
}

Case rows_grad_case(DType dtype, DType id_dtype, const Table& table, std::int64_t padding) {
  Shape grad = table.ids;
  grad.push_back(table.weight[1]);
  return {
      .op = "embedding_rows_grad",
      .variant = fmt::format("{}_padding{}", dtype_name(dtype), padding),
      .inputs = {{id_dtype, table.ids, ids_below(table.weight[0])}, {dtype, grad, uniform(-2, 2)}},
      .build =
          [=](const Variables& in) {
            return OpCall<Variable>("embedding_rows_grad")
                .input("ids", in[0])
                .input("out_grad", in[1])
                .attr("padding_idx", padding)
                .results();
          },
      .reference = [=](const Arrays& in) { return rows_reference(in[0], in[1], padding); }};
}

}  // namespace

void add_embedding_cases(Suite& suite) {
  for (const DType dtype : kFloatTypes) {
    for (const DType id_dtype : kIndexTypes) {
      for (const Table& table : kTables) {
        suite.add(embedding_case(dtype, id_dtype, table, {.sparse = false}));
        suite.add(embedding_case(dtype, id_dtype, table, {.padding_idx = 0}));
        suite.add(embedding_grad_case(dtype, id_dtype, table, -1));
        suite.add(embedding_grad_case(dtype, id_dtype, table, 0));
        suite.add(embedding_grad_case(dtype, id_dtype, table, -1, /*least=*/-1));
        suite.add(rows_grad_case(dtype, id_dtype, table, -1));
        suite.add(rows_grad_case(dtype, id_dtype, table, 0));
      }
    }
  }
}

}  // namespace loci::conformance
