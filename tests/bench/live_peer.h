// A peer that stays up and is asked case by case, so that its turns and ours can take turns.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace loci::bench {

// A script of peers/, run by the peers' Python, which says a line when it is there, and then
// answers each line of JSON by another.
class LivePeer {
 public:
  // On a machine without peers, or with a Python that lacks their packages, is_up() is false, and
  // why() says so.
  explicit LivePeer(const std::string& script);
  ~LivePeer();
  LivePeer(const LivePeer&) = delete;
  LivePeer& operator=(const LivePeer&) = delete;

  [[nodiscard]] bool is_up() const { return pid_ > 0; }
  [[nodiscard]] const std::string& why() const { return why_; }
  // Throws std::runtime_error if the peer ended instead of answering.
  nlohmann::json ask(const nlohmann::json& question);

  // While one lives the peer stands still: its threads spin for a while after its own turns, and
  // would take a processor from ours.
  class Rest {
   public:
    explicit Rest(const LivePeer& peer);
    ~Rest();
    Rest(const Rest&) = delete;
    Rest& operator=(const Rest&) = delete;

   private:
    int pid_;
  };

 private:
  void await_greeting(const std::string& python);
  std::string read_line();
  void end();

  int pid_ = 0;
  int to_ = -1;
  int from_ = -1;
  std::string buffer_;
  std::string why_;
};

}  // namespace loci::bench
