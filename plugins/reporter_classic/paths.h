// The scopes of the classic report. A row is a path of nested scopes, however it was reached.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace loci::classic {

using PathId = std::uint32_t;
inline constexpr PathId kNoPath = UINT32_MAX;

enum class Role : std::uint8_t {
  kOrdinary,  // an operator, a part of the framework, a range of the application
  kUnique,    // one operator of the program within the row of its type: "mul/mul0"
  kInner,     // a phase of an operator
  kCopy,      // "GpuMemcpySync:CPU->GPU"
  kSpecial    // a run whose operators other threads ran
};

struct Path {
  PathId parent;
  Role role;
  std::string name;  // of the innermost scope
};

// Paths by their scopes, never by text: a name may hold slashes.
class Paths {
 public:
  // The path of that scope within `parent`; the same for the same arguments.
  PathId intern(PathId parent, Role role, std::string_view name);
  [[nodiscard]] const Path& operator[](PathId id) const { return paths_[id]; }
  [[nodiscard]] std::size_t size() const { return paths_.size(); }
  // "mul/compute/GpuMemcpySync:CPU->GPU"
  [[nodiscard]] std::string text(PathId id) const;

 private:
  struct Key {
    PathId parent;
    Role role;
    std::string name;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const {
      return std::hash<std::string_view>()(key.name) * 31 + key.parent * 8U +
             static_cast<std::size_t>(key.role);
    }
  };

  std::vector<Path> paths_;
  std::unordered_map<Key, PathId, KeyHash> ids_;
};

}  // namespace loci::classic
