// Ending a JSON document without memory.
#pragma once

#include <utility>

namespace loci::core {

// Leaves null. For a document of nlohmann's, whose own destructor takes memory for what lies below
// and ends the process where there is none. However deep it is: on its way down, the last slot of
// each container holds the container around it.
template <class Json>
void dismantle_json(Json& json) noexcept {
  const auto pop = [](Json& container) { container.erase(--container.end()); };
  Json current = std::move(json);
  Json around;  // null at the top
  while (true) {
    while (current.is_structured() && !current.empty()) {
      Json& last = current.back();
      if (!last.is_structured() || last.empty()) {
        pop(current);
        continue;
      }
      Json below = std::move(last);
      last = std::move(around);
      around = std::move(current);
      current = std::move(below);
    }
    if (around.is_null()) return;
    current = std::move(around);
    around = std::move(current.back());
    pop(current);
  }
}

// A document that is dismantled at its end.
template <class Json>
class OwnedJson {
 public:
  explicit OwnedJson(Json json) noexcept : json_(std::move(json)) {}
  ~OwnedJson() { dismantle_json(json_); }
  OwnedJson(const OwnedJson&) = delete;
  OwnedJson& operator=(const OwnedJson&) = delete;

  [[nodiscard]] const Json& operator*() const { return json_; }
  [[nodiscard]] const Json* operator->() const { return &json_; }

 private:
  Json json_;
};

}  // namespace loci::core
