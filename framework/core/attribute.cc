#include <fmt/ranges.h>

#include <loci/attribute.hpp>

namespace loci {
inline namespace v0 {
namespace {

struct Printer {
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(std::int64_t value) const { return fmt::format("{}", value); }
  std::string operator()(double value) const { return fmt::format("{}", value); }
  std::string operator()(const std::string& value) const { return fmt::format("\"{}\"", value); }
  std::string operator()(DType value) const { return std::string(dtype_name(value)); }
  template <class T>
  std::string operator()(const std::vector<T>& values) const {
    return fmt::format("{}", values);
  }
};

}  // namespace

std::string to_string(const Attribute& attribute) { return std::visit(Printer{}, attribute); }

}  // namespace v0
}  // namespace loci
