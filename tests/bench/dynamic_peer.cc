#include "tests/bench/dynamic_peer.h"

namespace loci::bench {

DynamicPeer::DynamicPeer(LivePeer* peer, const std::function<void(const std::string&)>& save)
    : peer_(peer) {
  if (!peer_->is_up()) return;
  save(scratch_.path("model"));
  const std::vector<std::string> names =
      peer_->ask({{"model", scratch_.path("model")}, {"threads", config::threads()}}).at("peers");
  if (!names.empty()) name_ = names[0];
}

DynamicPeer::Times DynamicPeer::time_size(const Tensor& x, int runs) {
  io::save_npy(scratch_.path("in.npy"), x);
  const auto times = peer_->ask(
      {{"input", scratch_.path("in.npy")}, {"runs", runs}, {"out", scratch_.path("out.npy")}});
  return {times.at("first_us"), times.at("steady_us"), io::load_npy(scratch_.path("out.npy"))};
}

DynamicPeer::Growth DynamicPeer::run_sizes(const std::vector<Shape>& sizes, int before) {
  nlohmann::json extents = nlohmann::json::array();
  for (const Shape& size : sizes) extents.push_back(size.dims());
  const auto growth = peer_->ask({{"sizes", extents}, {"before", before}});
  return {growth.at("mib"), growth.at("us")};
}

}  // namespace loci::bench
