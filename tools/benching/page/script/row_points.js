// The rows in a roofline plot: all of what one does over all that it moves.

const threadsText = (threads) => (threads === 1 ? "1 thread" : `${threads} threads`);

// What roofline.js writes at a point.
function labelTitle(label) {
  return label.name;
}

// The limits of so many threads as roofline.js knows a device.
function asDevice({threads, flops, levels}) {
  const rate = (level) => Math.max(level.read, level.copy);
  return {
    place: threadsText(threads),
    measured_flops: flops,
    measured_bytes: rate(levels.at(-1)),
    described_flops: 0,
    described_bytes: 0,
    memory_levels: levels.map((level) => ({call_bytes: level.bytes, bytes: rate(level)}))
  };
}

function rowPoints(rows, limits, devices) {
  return rows.filter((row) => row.isTime && row.flops > 0 && row.bytes > 0).map((row) => {
    const number = limits.findIndex(({threads}) => threads === row.threads);
    const rate = row.flops / row.value * 1e6;
    return {
      node: {label: {name: row.name, instance: ""}, busy: row.value},
      number,
      device: devices[number],
      intensity: row.flops / row.bytes,
      rate,
      roof: row.bound_us > 0 ? row.flops / row.bound_us * 1e6 : 0
    };
  });
}

function drawRowPoints(rows, limits) {
  const devices = limits.map(asDevice);
  const points = rowPoints(rows, limits, devices);
  if (points.length === 0) {
    add(section("roofline"), el("p", {class: "muted"}, "Of no row are FLOPs and bytes known."));
    return points;
  }
  const used = new Set(points.map(({number}) => number));
  const roofs = knownRoofs(devices).filter(({number}) => used.has(number));
  add(section("roofline"), scrollBox("Roofline plot", rooflineChart(points, roofs)),
      rooflineLegend(roofs, points));
  return points;
}
