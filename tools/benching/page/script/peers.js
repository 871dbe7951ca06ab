// A bar for everybody who has run a row, and one for its roofs.

function contestants(row) {
  const all = [{name: "Loci", us: row.value, kind: "loci"}];
  for (const [name, us] of Object.entries(row.peers)) all.push({name, us, kind: "peer"});
  all.sort((a, b) => a.us - b.us);
  if (row.bound_us > 0) all.unshift({name: "Roofs", us: row.bound_us, kind: "roof"});
  return all;
}

function contestBar({name, us, kind}, longest) {
  const length = `--length:${(100 * us / longest).toFixed(2)}%`;
  return el(
      "li", null, el("span", null, name), el("span", {class: `length ${kind}`, style: length}),
      el("span", {class: "time"}, formatUs(us)));
}

function contest(row) {
  const all = contestants(row);
  const longest = Math.max(...all.map(({us}) => us));
  return el(
      "div", {class: "contest"}, el("h3", null, row.name),
      el("ul", null, all.map((one) => contestBar(one, longest))));
}

function drawPeers(rows, notes) {
  const shown = rows.filter((row) => row.isTime && contestants(row).length > 1);
  const hasPeers = shown.some((row) => Object.keys(row.peers).length > 0);
  add(section("peers"), notes.map((note) => el("p", {class: "warning"}, note)),
      !hasPeers && el("p", {class: "muted"}, "No peer has run these rows."), shown.map(contest));
}
