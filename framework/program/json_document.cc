#include "framework/program/json_document.h"

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "framework/core/raise.h"
#include "framework/program/control_flow.h"
#include "framework/program/json_field.h"
#include "framework/program/json_form.h"

namespace loci::program {
namespace {

// One block takes 16 levels, and each one within it 4 more.
constexpr std::size_t kMostDepth = 16 + 4 * std::size_t{kMostBlockDepth};

[[noreturn]] void refuse_document(const std::string& file, const std::string& reason) {
  core::raise(ErrorCode::kDataLoss, "[program] {}: {}", file, reason);
}

// Makes the document of the parser's events, and refuses what the library's own handler accepts
// silently: deep nesting, and members that occur twice. The library would call back to check, but
// looks through all earlier siblings at the end of each object then.
class DocumentBuilder {
 public:
  using Json = nlohmann::json;

  explicit DocumentBuilder(const std::string& file) : file_(file) {}

  Json take() { return std::move(root_); }

  // The events, by the names that the library calls them by. `true` goes on.
  bool null() { return value(nullptr); }
  bool boolean(bool flag) { return value(flag); }
  bool number_integer(std::int64_t number) { return value(number); }
  bool number_unsigned(std::uint64_t number) { return value(number); }
  bool number_float(double number, const std::string& /*text*/) { return value(number); }
  bool string(std::string& text) { return value(std::move(text)); }
  bool binary(Json::binary_t& bytes) { return value(std::move(bytes)); }
  bool start_object(std::size_t /*size*/) { return open(Json::value_t::object); }
  bool start_array(std::size_t /*size*/) { return open(Json::value_t::array); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }

  bool key(std::string& name) {
    auto& members = open_.back()->get_ref<Json::object_t&>();
    const auto [member, is_new] = members.try_emplace(std::move(name));
    if (!is_new) {
      refuse_document(file_,
                      fmt::format("an object has the member '{}' twice", printable(member->first)));
    }
    member_ = &member->second;
    return true;
  }

  bool parse_error(std::size_t /*position*/, const std::string& /*token*/,
                   const Json::exception& error) {
    // "[json.exception.parse_error.101] parse error at line 1, ..."
    const std::string_view what = error.what();
    const std::size_t end = what.find("] ");
    refuse_document(file_,
                    "is not JSON: " + printable(what.substr(end == what.npos ? 0 : end + 2)));
  }

 private:
  template <class Value>
  bool value(Value&& added) {
    (void)place(Json(std::forward<Value>(added)));
    return true;
  }

  // Where the parser is: the whole document, the member that was named, or the end of an array.
  Json* place(Json&& added) {
    if (open_.empty()) {
      root_ = std::move(added);
      return &root_;
    }
    if (open_.back()->is_object()) {
      *member_ = std::move(added);
      return member_;
    }
    auto& elements = open_.back()->get_ref<Json::array_t&>();
    elements.push_back(std::move(added));
    return &elements.back();
  }

  bool open(Json::value_t kind) {
    if (open_.size() == kMostDepth) {
      refuse_document(file_, fmt::format("is nested deeper than {}", kMostDepth));
    }
    open_.push_back(place(Json(kind)));
    return true;
  }

  bool close() {
    open_.pop_back();
    return true;
  }

  const std::string& file_;
  Json root_;
  // From the outermost in. An element moves when its array grows, but not while one within it is
  // open: only the last of these grows.
  std::vector<Json*> open_;
  Json* member_ = nullptr;  // of the last of them
};

}  // namespace

nlohmann::json parse_document(std::string_view text, const std::string& file) {
  if (text.size() > kMostJsonBytes) {
    refuse_document(
        file, fmt::format("has {} bytes; a program has at most {}", text.size(), kMostJsonBytes));
  }
  DocumentBuilder builder(file);
  (void)nlohmann::json::sax_parse(text, &builder);  // what goes wrong, it throws
  return builder.take();
}

}  // namespace loci::program
