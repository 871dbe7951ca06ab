// The kinds of plugins that manifests name, and how loading deals with each.
//
// A kind is a header of loci/abi, an adapter and one line in interface_kinds.cc. The adapter lies
// with what it adapts to, in a folder that stands on this one, and defines an InterfaceKind.
// Manifests, loading and reports look into no kind: all that they ask is here.
#pragma once

#include <loci/plugins.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "framework/plugin/instance.h"
#include "framework/plugin/manifest.h"

namespace loci::plugin {

// The part of a plugin that one adapter took. Its functions are called with the instance alive.
class Contribution {
 public:
  virtual ~Contribution() = default;

  // Names that the plugin brings, for a kind whose names are unique.
  [[nodiscard]] virtual std::vector<std::string> names() const { return {}; }
  // Notes in the report of an active plugin what is worth telling of this kind.
  virtual void tell(plugins::Candidate& /*report*/) const {}
  // Calls what discovery would call later. Throws LoadError.
  virtual void try_out() const {}

 protected:
  Contribution() = default;
  Contribution(const Contribution&) = default;
  Contribution(Contribution&&) = default;
  Contribution& operator=(const Contribution&) = default;
  Contribution& operator=(Contribution&&) = default;
};

struct InterfaceKind {
  // Throws LoadError for a plugin that calls itself one and has no such table, for tables that are
  // incomplete, and for those that are not what the manifest declares.
  using Take = std::shared_ptr<const Contribution> (*)(Instance&, const Manifest&);

  const char* name;     // among a manifest's kinds
  Take take = nullptr;  // none where the host takes nothing yet, or takes it with another kind

  // The list of the manifest that names what a plugin brings; none where the kind says it all.
  const NameList* declares = nullptr;
  const char* bearer = nullptr;  // who may not leave that list out: "a reporter"

  // Phrases for messages; a kind without one has no such rule.
  const char* sole = nullptr;    // one plugin a declared name, as it "captures the streams of" it
  const char* unique = nullptr;  // two plugins may not bring an "op" of the same name
  const char* pinned = nullptr;  // why an active plugin is not unloaded: it "brings ops, ..."
};

// A kind whose adapter makes a T.
template <class T>
struct Kind : InterfaceKind {};

// InterfaceKind::take of an adapter's function, which gives a T.
template <auto kTake>
std::shared_ptr<const Contribution> take_as(Instance& instance, const Manifest& manifest) {
  using T = decltype(kTake(instance, manifest));
  return std::make_shared<const T>(kTake(instance, manifest));
}

// All kinds, in the order in which messages list them and loading takes them.
const std::vector<const InterfaceKind*>& interface_kinds();

// Adds a kind while it lives, for plugins that are looked for after that. The last one ends first.
// Not while another thread looks for plugins.
class AddedKind {
 public:
  explicit AddedKind(const InterfaceKind& kind);
  ~AddedKind();
  AddedKind(const AddedKind&) = delete;
  AddedKind& operator=(const AddedKind&) = delete;
};

}  // namespace loci::plugin
