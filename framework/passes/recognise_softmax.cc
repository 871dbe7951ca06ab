#include "framework/passes/recognisers.h"

namespace loci::passes {
namespace {

using program::Operator;
using program::VarId;

// A value along one of its dimensions.
struct Along {
  VarId x = program::kNoVar;
  std::int64_t axis = 0;
};

std::optional<Along> along(const Expressions& expressions, VarId id, std::string_view reduction) {
  const std::optional<Reduction> found = expressions.reduction(id, reduction);
  if (!found || found->axes.size() != 1) return std::nullopt;
  return Along{found->x, found->axes.front()};
}

// Recognises x - max(x).
std::optional<Along> shifted(const Expressions& expressions, VarId id) {
  const Operator* difference = expressions.producer(id, "elementwise_sub");
  if (difference == nullptr) return std::nullopt;
  const std::optional<Along> largest = along(expressions, argument(*difference, 1), "reduce_max");
  if (!largest || largest->x != argument(*difference)) return std::nullopt;
  return largest;
}

// Recognises exp(x - max(x)), summed along the same dimension.
std::optional<Along> summed_powers(const Expressions& expressions, VarId sum, VarId powers) {
  const std::optional<Along> total = along(expressions, sum, "reduce_sum");
  const Operator* exp = expressions.producer(powers, "exp");
  if (!total || total->x != powers || exp == nullptr) return std::nullopt;
  const std::optional<Along> inner = shifted(expressions, argument(*exp));
  return inner && inner->axis == total->axis ? inner : std::nullopt;
}

Recognised softmax_along(const char* type, const Along& found) {
  return {type, {{"x", found.x}}, {{"axis", found.axis}}};
}

std::optional<Recognised> log_of_softmax(const Operator& log, const Expressions& expressions) {
  const Operator* softmax = expressions.producer(argument(log), "softmax");
  if (softmax == nullptr) return std::nullopt;
  return Recognised{
      "log_softmax", {{"x", argument(*softmax)}}, {{"axis", softmax->attributes.at("axis")}}};
}

std::optional<Recognised> less_log_of_sum(const Operator& root, const Expressions& expressions) {
  const std::optional<Along> inner = shifted(expressions, argument(root));
  const Operator* log = expressions.producer(argument(root, 1), "log");
  if (!inner || log == nullptr) return std::nullopt;
  const Operator* sum = expressions.producer(argument(*log), "reduce_sum");
  if (sum == nullptr) return std::nullopt;
  const std::optional<Along> found = summed_powers(expressions, argument(*log), argument(*sum));
  if (!found || found->x != inner->x || found->axis != inner->axis) return std::nullopt;
  return softmax_along("log_softmax", *found);
}

}  // namespace

std::optional<Recognised> recognise_softmax(const Operator& root, const Expressions& expressions) {
  if (root.type() != "elementwise_div") return std::nullopt;
  const std::optional<Along> found = summed_powers(expressions, argument(root, 1), argument(root));
  if (!found) return std::nullopt;
  return softmax_along("softmax", *found);
}

std::optional<Recognised> recognise_log_softmax(const Operator& root,
                                                const Expressions& expressions) {
  if (root.type() == "log") return log_of_softmax(root, expressions);
  return root.type() == "elementwise_sub" ? less_log_of_sum(root, expressions) : std::nullopt;
}

}  // namespace loci::passes
