#include "tests/bench/live_peer.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <stdexcept>

#include "tests/bench/peer.h"

namespace loci::bench {
namespace {

std::array<int, 2> make_pipe() {
  std::array<int, 2> ends{-1, -1};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe to a peer");
  return ends;
}

void write_all(int file, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t count = ::write(file, text.data() + done, text.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) throw std::runtime_error("the peer ended");
    done += static_cast<std::size_t>(count);
  }
}

}  // namespace

LivePeer::LivePeer(const std::string& script) {
  std::string python = peers_python().string();
  if (python.empty()) {
    why_ = "peers are absent; tools/setup --peers installs them";
    return;
  }
  std::string path = peer_script(script);
  const auto questions = make_pipe();
  const auto answers = make_pipe();
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, questions[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, answers[1], STDOUT_FILENO);
  const std::array<char*, 3> arguments{python.data(), path.data(), nullptr};
  const int error =
      ::posix_spawn(&pid_, python.c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(questions[0]);
  ::close(answers[1]);
  to_ = questions[1];
  from_ = answers[0];
  if (error != 0) {
    pid_ = 0;
    why_ = python + " could not be started";
  }
  // A peer that ends is told by write_all().
  ::signal(SIGPIPE, SIG_IGN);
  if (pid_ > 0) await_greeting(python);
}

LivePeer::~LivePeer() { end(); }

// One whose packages are not there ends instead.
void LivePeer::await_greeting(const std::string& python) {
  try {
    (void)read_line();
  } catch (const std::runtime_error&) {
    end();
    why_ = python + " lacks what peers need, see above; tools/setup --peers installs it";
  }
}

void LivePeer::end() {
  if (to_ >= 0) ::close(to_);
  if (from_ >= 0) ::close(from_);
  if (pid_ > 0) ::waitpid(pid_, nullptr, 0);
  to_ = from_ = -1;
  pid_ = 0;
}

LivePeer::Rest::Rest(const LivePeer& peer) : pid_(peer.pid_) {
  if (pid_ > 0) ::kill(pid_, SIGSTOP);
}

LivePeer::Rest::~Rest() {
  if (pid_ > 0) ::kill(pid_, SIGCONT);
}

nlohmann::json LivePeer::ask(const nlohmann::json& question) {
  write_all(to_, question.dump() + "\n");
  return nlohmann::json::parse(read_line());
}

std::string LivePeer::read_line() {
  std::size_t end;
  while ((end = buffer_.find('\n')) == std::string::npos) {
    std::array<char, 4096> chunk{};
    const ssize_t count = ::read(from_, chunk.data(), chunk.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) throw std::runtime_error("the peer ended");
    buffer_.append(chunk.data(), static_cast<std::size_t>(count));
  }
  std::string line = buffer_.substr(0, end);
  buffer_.erase(0, end + 1);
  return line;
}

}  // namespace loci::bench
