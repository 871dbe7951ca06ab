// Values by name, in the order of their last use: what caches with a bound are made of.
#pragma once

#include <cstddef>
#include <iterator>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace loci::core {

// Not thread-safe. A caller that holds a lock takes what it removes out as a list, to destroy it
// once the lock is given back.
template <class Value>
class RecentMap {
 public:
  struct Entry {
    std::string key;
    Value value;
  };
  using Entries = std::list<Entry>;
  using Iterator = typename Entries::iterator;

  // The value of that key, from now on the latest used; null if there is none.
  Value* find(std::string_view key) {
    const auto found = by_key_.find(key);
    return found == by_key_.end() ? nullptr : &use(found->second);
  }
  // Marks an entry that the caller has found as the latest used, and returns its value.
  Value& use(Iterator entry) {
    entries_.splice(entries_.begin(), entries_, entry);
    return entry->value;
  }

  // The key is not there yet.
  Value& insert(std::string key, Value value) {
    Entries made;
    made.push_back({std::move(key), std::move(value)});
    by_key_.emplace(made.front().key, made.begin());
    entries_.splice(entries_.begin(), made);
    return entries_.front().value;
  }

  // Moves an entry to the end of `removed`, and returns the next one, which is older, or end().
  Iterator remove(Iterator entry, Entries* removed) {
    by_key_.erase(entry->key);
    const Iterator older = std::next(entry);
    removed->splice(removed->end(), entries_, entry);
    return older;
  }

  [[nodiscard]] Iterator begin() { return entries_.begin(); }  // the latest used
  [[nodiscard]] Iterator end() { return entries_.end(); }
  [[nodiscard]] auto begin() const { return entries_.begin(); }
  [[nodiscard]] auto end() const { return entries_.end(); }
  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] bool empty() const { return entries_.empty(); }

 private:
  Entries entries_;
  std::unordered_map<std::string_view, Iterator> by_key_;
};

}  // namespace loci::core
