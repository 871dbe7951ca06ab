#include "framework/core/abi/attributes.h"

#include "framework/core/abi/error.h"
#include "framework/core/raise.h"

namespace loci::core {
namespace {

constexpr std::uint64_t kMostItems = std::uint64_t{1} << 32;

// Fills the kind and the value of an attribute; `value` outlives the result.
class AttributeWriter {
 public:
  AttributeWriter(loci_attr* attr, std::vector<std::vector<loci_str>>* lists)
      : attr_(attr), lists_(lists) {}

  void operator()(bool value) const { integer(LOCI_ATTR_BOOL, value ? 1 : 0); }
  void operator()(std::int64_t value) const { integer(LOCI_ATTR_INT, value); }
  void operator()(DType value) const { integer(LOCI_ATTR_DTYPE, static_cast<std::int64_t>(value)); }
  void operator()(double value) const {
    attr_->kind = LOCI_ATTR_FLOAT;
    attr_->real = value;
  }
  void operator()(const std::string& value) const {
    attr_->kind = LOCI_ATTR_STRING;
    attr_->text = to_abi(value);
  }
  void operator()(const std::vector<std::int64_t>& value) const {
    list(LOCI_ATTR_INTS, value.data(), value.size());
  }
  void operator()(const std::vector<double>& value) const {
    list(LOCI_ATTR_FLOATS, value.data(), value.size());
  }
  void operator()(const std::vector<std::string>& value) const {
    // Each vector keeps the address of its items when the list of lists grows.
    std::vector<loci_str>& strings = lists_->emplace_back();
    strings.reserve(value.size());
    for (const std::string& item : value) strings.push_back(to_abi(item));
    list(LOCI_ATTR_STRINGS, strings.data(), strings.size());
  }

 private:
  void integer(std::uint32_t kind, std::int64_t value) const {
    attr_->kind = kind;
    attr_->integer = value;
  }
  void list(std::uint32_t kind, const void* items, std::size_t count) const {
    attr_->kind = kind;
    attr_->items = items;
    attr_->item_count = count;
  }

  loci_attr* attr_;
  std::vector<std::vector<loci_str>>* lists_;
};

[[noreturn]] void refuse_attribute(const std::string& reason) {
  throw Error(ErrorCode::kInvalidArgument, reason);
}

bool boolean(const loci_attr& attr) {
  if (attr.integer == 0 || attr.integer == 1) return attr.integer == 1;
  refuse_attribute(fmt::format("is a bool of the value {}; give 0 or 1", attr.integer));
}

DType dtype(const loci_attr& attr) {
  const bool known = attr.integer >= LOCI_DTYPE_NONE && attr.integer <= LOCI_DTYPE_F64;
  if (known) return static_cast<DType>(attr.integer);
  refuse_attribute(fmt::format("is a dtype of the code {}, which there is not", attr.integer));
}

std::string text(loci_str given) {
  if (given.data == nullptr && given.size != 0) {
    refuse_attribute(fmt::format("is a string of {} bytes at NULL", given.size));
  }
  if (given.size > LOCI_MAX_TEXT) {
    refuse_attribute(
        fmt::format("is a string of {} bytes; at most {} are read", given.size, LOCI_MAX_TEXT));
  }
  return given.size == 0 ? std::string() : std::string(from_abi(given));
}

template <class T>
std::vector<T> items(const loci_attr& attr) {
  if (attr.item_count > kMostItems || (attr.items == nullptr && attr.item_count != 0)) {
    refuse_attribute(fmt::format("is a list of {} items{}", attr.item_count,
                                 attr.items == nullptr ? " at NULL" : ""));
  }
  const auto* first = static_cast<const T*>(attr.items);
  return attr.item_count == 0 ? std::vector<T>() : std::vector<T>(first, first + attr.item_count);
}

std::vector<std::string> texts(const loci_attr& attr) {
  std::vector<std::string> result;
  for (const loci_str& item : items<loci_str>(attr)) result.push_back(text(item));
  return result;
}

}  // namespace

AbiAttributes::AbiAttributes(const Attributes& attributes, Holds holds)
    : copies_(holds == Holds::kCopies ? attributes : Attributes()),
      source_(holds == Holds::kCopies ? &copies_ : &attributes) {
  attrs_.reserve(source_->size());
  for (const auto& [name, value] : *source_) {
    loci_attr attr{};
    attr.name = to_abi(name);
    std::visit(AttributeWriter(&attr, &strings_), value);
    attrs_.push_back(attr);
  }
}

Attribute attribute_from_abi(const loci_attr& attr) {
  switch (attr.kind) {
    case LOCI_ATTR_BOOL: return boolean(attr);
    case LOCI_ATTR_INT: return attr.integer;
    case LOCI_ATTR_FLOAT: return attr.real;
    case LOCI_ATTR_STRING: return text(attr.text);
    case LOCI_ATTR_DTYPE: return dtype(attr);
    case LOCI_ATTR_INTS: return items<std::int64_t>(attr);
    case LOCI_ATTR_FLOATS: return items<double>(attr);
    case LOCI_ATTR_STRINGS: return texts(attr);
    default: refuse_attribute(fmt::format("is of the kind {}, which there is not", attr.kind));
  }
}

}  // namespace loci::core
