#include "tools/conformance/case.h"

#include <fmt/format.h>

#include <regex>
#include <stdexcept>

namespace loci::conformance {

std::string Case::name() const {
  std::string shapes;
  std::string dtype;
  for (const Input& input : inputs) {
    if (dtype.empty()) dtype = fmt::format("/{}", dtype_name(input.dtype));
    shapes += fmt::format("{}{}", shapes.empty() ? '/' : ',', input.shape.to_string());
  }
  return fmt::format("{}/{}{}{}{}{}", family, op, dtype, shapes, variant.empty() ? "" : "/",
                     variant);
}

Arrays Case::make_inputs() const {
  Arrays arrays;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Input& input = inputs[i];
    Bits bits(hash(name()) + i);
    Array array(input.dtype, input.shape);
    array.values = input.values(array.size(), bits);
    for (Real& value : array.values) value = round_to(input.dtype, value);
    arrays.push_back(std::move(array));
  }
  return arrays;
}

void Suite::add(Case added) {
  added.family = family_;
  const std::string name = added.name();
  if (!names_.insert(name).second)
    throw std::logic_error("two conformance cases have the name " + name);
  cases_.push_back(std::move(added));
}

Suite Suite::selected(const std::function<bool(const Case&)>& wanted) const {
  Suite result;
  for (const Case& one : cases_) {
    if (wanted(one)) result.cases_.push_back(one);
  }
  return result;
}

Suite Suite::filtered(const std::string& pattern) const {
  const std::regex expression(pattern);
  return selected([&](const Case& one) { return std::regex_search(one.name(), expression); });
}

}  // namespace loci::conformance
