// How far the figures can be trusted.

function qualityFacts(profile) {
  const {quality, session, threads} = profile;
  const dropped = quality.dropped.reduce((sum, drop) => sum + drop.count, 0);
  const kinds = quality.dropped.map((drop) => `${formatCount(drop.count)} ${drop.kind}`).join(", ");
  const share = (ns) => formatShare(ns, session.wall_ns);
  const difference = Math.max(
      0,
      ...threads.map(
          (thread) =>
              Math.abs(thread.wall_ns - thread.self_ns - thread.idle_ns - thread.unaccounted_ns)));
  return facts([
    ["Records dropped", formatCount(dropped), kinds],
    ["Spans still open at the end", formatCount(quality.truncated_spans)],
    [
      "Device work of no recorded span", formatCount(quality.unattributed_device_spans),
      formatNs(quality.unattributed_device_ns)
    ],
    ["Largest difference of wall to its parts", formatNs(difference), share(difference)],
    ["Clock", quality.clock, `error at most ${formatNs(quality.clock_error_ns)}`],
    ["Cost of recording", formatNs(quality.own_cost_ns), share(quality.own_cost_ns)],
    ["Cost of collecting", formatNs(quality.drain_cost_ns), "on a thread of its own"],
  ]);
}

function drawQuality(profile) {
  if (!profile.quality) {
    section("quality").remove();
    document.querySelector('nav a[href="#quality"]').parentElement.remove();
    return;
  }
  add(section("quality"), qualityFacts(profile));
  if (profile.quality.notes.length === 0) return;
  add(section("quality"), el("h3", null, "Notes"),
      el("ul", null, profile.quality.notes.map((note) => el("li", null, note))));
}
