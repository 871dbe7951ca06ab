// Memory in use over time by place, and the names that took most of it.

const MEMORY_WIDTH = 1000;
const MEMORY_HEIGHT = 260;
const MEMORY_LEFT = 74;
const MEMORY_BOTTOM = 28;

// [{place, at, inUse}] in order of the places' first event.
function memoryByPlace({memory, tensors}) {
  const places = new Map();
  for (let i = 0; i < memory.count; ++i) {
    const {place} = tensors[memory.tensor[i]];
    if (!places.has(place)) places.set(place, {place, at: [], inUse: []});
    places.get(place).at.push(memory.at[i]);
    places.get(place).inUse.push(memory.inUse[i]);
  }
  return [...places.values()];
}

// The lowest and the highest of each pixel in which something changed.
function extremesByPixel({at, inUse}, x) {
  const pixels = [];
  let before = 0;
  for (let i = 0; i < at.length;) {
    const pixel = Math.round(x(at[i]));
    let low = before;
    let high = before;
    for (; i < at.length && Math.round(x(at[i])) === pixel; ++i) {
      low = Math.min(low, inUse[i]);
      high = Math.max(high, inUse[i]);
    }
    before = inUse[i - 1];
    pixels.push({pixel, low, high, last: before});
  }
  return pixels;
}

// The line of the highest use, and the area from it down to the lowest: where many allocations come
// and go within a pixel, the area shows by how much.
function memoryPaths(place, x, y, end) {
  const pixels = extremesByPixel(place, x);
  let upper = `M${x(0).toFixed(1)} ${y(0).toFixed(1)}`;
  const lower = [];
  pixels.forEach(({pixel, low, high, last}, i) => {
    upper += `H${pixel}V${y(high).toFixed(1)}`;
    lower.push([pixel, low]);
    const next = pixels[i + 1] ? pixels[i + 1].pixel : Math.ceil(x(end));
    if (next <= pixel + 1) return;
    // What stays until the next change.
    upper += `H${pixel + 1}V${y(last).toFixed(1)}`;
    lower.push([pixel + 1, low], [pixel + 1, last], [next, last]);
  });
  upper += `H${x(end).toFixed(1)}`;
  const back = lower.reverse().map(([at, bytes]) => `L${at} ${y(bytes).toFixed(1)}`).join("");
  return {line: upper, area: `${upper}${back}Z`};
}

function memoryAxes(x, y, end, most) {
  const right = MEMORY_WIDTH - 10;
  const times = linearTicks(0, end, 8);
  const step = times.length > 1 ? times[1] : end;
  const grid =
      linearTicks(0, most, 5)
          .map(
              (bytes) =>
                  [svg("line",
                       {class: "grid", x1: MEMORY_LEFT, x2: right, y1: y(bytes), y2: y(bytes)}),
                   svg("text", {x: MEMORY_LEFT - 8, y: y(bytes) + 4, "text-anchor": "end"},
                       formatBytes(bytes))]);
  const marks = times.map(
      (time) =>
          svg("text", {x: x(time), y: MEMORY_HEIGHT - 8, "text-anchor": "middle"},
              formatMoment(time, step, end)));
  return [grid, marks];
}

function memoryChart(places, end) {
  const most = Math.max(1, ...places.map(({inUse}) => inUse.reduce((a, b) => Math.max(a, b), 0)));
  const x = (time) => MEMORY_LEFT + time / end * (MEMORY_WIDTH - MEMORY_LEFT - 10);
  const y = (bytes) =>
      MEMORY_HEIGHT - MEMORY_BOTTOM - bytes / most * (MEMORY_HEIGHT - MEMORY_BOTTOM - 10);
  const label =
      places
          .map(
              ({place, inUse}) =>
                  `${place}: at most ${formatBytes(inUse.reduce((a, b) => Math.max(a, b), 0))}`)
          .join("; ");
  return svg(
      "svg", {
        viewBox: `0 0 ${MEMORY_WIDTH} ${MEMORY_HEIGHT}`,
        class: "chart",
        role: "img",
        "aria-label": `Memory in use over time. ${label}`
      },
      memoryAxes(x, y, end, most), places.map((place, i) => {
        const {line, area} = memoryPaths(place, x, y, end);
        const color = LINE_COLORS[i % LINE_COLORS.length];
        return [
          svg("path", {class: "area", d: area, fill: color}), svg("path", {
            class: "line thin",
            d: line,
            stroke: color,
            "stroke-dasharray": LINE_DASHES[i % LINE_DASHES.length]
          })
        ];
      }));
}

function memoryLegend(places) {
  return el("ul", {class: "legend"}, places.map(({place, at, inUse}, i) => {
    const peak = inUse.reduce((best, bytes, at_) => (bytes > inUse[best] ? at_ : best), 0);
    return el(
        "li", null,
        svg("svg", {viewBox: "0 0 40 10", class: "sample", "aria-hidden": "true"}, svg("path", {
              class: "line",
              d: "M0 5H40",
              stroke: LINE_COLORS[i % LINE_COLORS.length],
              "stroke-dasharray": LINE_DASHES[i % LINE_DASHES.length]
            })),
        `${place}: peak ${formatBytes(inUse[peak])} at ${formatNs(at[peak])}, ${
            formatBytes(inUse[inUse.length - 1])} at the end`);
  }));
}

function tensorTable(tensors) {
  const bytes = (key, title) =>
      ({key, title, value: (row) => row[key], show: (row) => formatBytes(row[key])});
  const count = (key, title) =>
      ({key, title, value: (row) => row[key], show: (row) => formatCount(row[key])});
  const table = new SortedTable({
    name: "Memory by name",
    sort: "peak_bytes",
    columns: [
      {key: "name", title: "Name", text: true, value: (row) => row.name},
      {key: "place", title: "Place", text: true, value: (row) => row.place},
      {...bytes("peak_bytes", "Peak"), hint: "at one time, of this name"},
      count("allocations", "Allocations"),
      bytes("allocated_bytes", "Allocated"),
      count("frees", "Releases"),
      bytes("freed_bytes", "Released"),
      {
        ...bytes("held", "Still held"),
        value: (row) => row.allocated_bytes - row.freed_bytes,
        show: (row) => formatBytes(row.allocated_bytes - row.freed_bytes)
      },
    ]
  });
  table.setRows(tensors);
  return table;
}

function drawMemory(profile) {
  if (profile.tensors.length === 0) {
    add(section("memory"),
        el("p", {class: "muted"}, "No allocation was recorded: that takes level detail."));
    return null;
  }
  const places = memoryByPlace(profile);
  const table = tensorTable(profile.tensors);
  add(section("memory"),
      places.length > 0 &&
          [
            scrollBox("Memory chart", memoryChart(places, Math.max(1, profile.shown_until_ns))),
            memoryLegend(places)
          ],
      el("h3", null, "By name"), table.element);
  return table;
}
