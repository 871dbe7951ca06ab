#include <charconv>
#include <loci/place.hpp>
#include <utility>

#include "framework/core/quote.h"
#include "framework/core/raise.h"

namespace loci {
inline namespace v0 {
namespace {

constexpr int kMaxIndex = 4095;

[[noreturn]] void refuse(std::string_view text) {
  core::raise(ErrorCode::kInvalidArgument,
              "[place] {} is not a place; write a device type with an optional index up to {}, "
              "such as cpu, cuda:0 or gpu",
              core::quote(text), kMaxIndex);
}

bool is_type(std::string_view text) {
  if (text.empty() || text.front() < 'a' || text.front() > 'z') return false;
  for (const char c : text) {
    if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_')) return false;
  }
  return true;
}

}  // namespace

Place::Place() : type_("cpu") {}

Place::Place(const char* text) : Place(std::string(text)) {}

Place::Place(const std::string& text) {
  const std::size_t colon = text.find(':');
  type_ = text.substr(0, colon);
  if (!is_type(type_)) refuse(text);
  if (colon == std::string::npos) return;
  const char* first = text.data() + colon + 1;
  const char* last = text.data() + text.size();
  const auto [end, error] = std::from_chars(first, last, index_);
  if (error != std::errc() || end != last || *first == '-' || index_ > kMaxIndex) refuse(text);
}

Place::Place(std::string type, int index) : type_(std::move(type)), index_(index) {
  if (!is_type(type_) || index < 0 || index > kMaxIndex) {
    refuse(fmt::format("{}:{}", type_, index));
  }
}

std::string Place::to_string() const {
  if (is_host() && index() == 0) return type_;
  return fmt::format("{}:{}", type_, index());
}

}  // namespace v0
}  // namespace loci
