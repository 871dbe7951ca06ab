// Ending a JSON document without memory.
#pragma once

#include <utility>

namespace loci::core {

// Empties a document of nlohmann's from its leaves on. Its own destructor takes memory for what
// lies below, and ends the process where there is none.
template <class Json>
void dismantle_json(Json& json) noexcept {
  if (!json.is_structured()) return;
  for (Json& below : json) dismantle_json(below);
  json.clear();
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
