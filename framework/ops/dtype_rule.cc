#include "framework/ops/dtype_rule.h"

#include <utility>

#include "framework/ops/infer_context.h"

namespace loci::ops {

DTypeRule::DTypeRule(Kind kind, std::string name, DType dtype)
    : kind_(kind), name_(std::move(name)), dtype_(dtype) {}

DTypeRule DTypeRule::as(std::string input) {
  return {Kind::kInput, std::move(input), DType::kNone};
}

DTypeRule DTypeRule::computed(std::string input) {
  return {Kind::kComputed, std::move(input), DType::kNone};
}

DTypeRule DTypeRule::attribute(std::string name) {
  return {Kind::kAttribute, std::move(name), DType::kNone};
}

DTypeRule DTypeRule::always(DType dtype) { return {Kind::kAlways, {}, dtype}; }

DTypeRule DTypeRule::inferred(std::string text) {
  return {Kind::kInferred, std::move(text), DType::kNone};
}

std::string DTypeRule::to_string() const {
  switch (kind_) {
    case Kind::kInput: return "as " + name_;
    case Kind::kComputed: return "as " + name_ + ", float32 at least";
    case Kind::kAttribute: return "attribute " + name_;
    case Kind::kAlways: return std::string(dtype_name(dtype_));
    case Kind::kInferred: return name_;
    case Kind::kNone: break;
  }
  return {};
}

DType DTypeRule::of(const InferContext& ctx) const {
  switch (kind_) {
    case Kind::kInput: return ctx.has_input(name_) ? ctx.dtype(name_) : DType::kNone;
    case Kind::kComputed: {
      if (!ctx.has_input(name_)) return DType::kNone;
      const DType dtype = ctx.dtype(name_);
      return dtype_size(dtype) == 2 ? DType::kFloat32 : dtype;
    }
    case Kind::kAttribute: return ctx.attr<DType>(name_);
    case Kind::kAlways: return dtype_;
    case Kind::kInferred:
    case Kind::kNone: break;
  }
  return DType::kNone;
}

}  // namespace loci::ops
