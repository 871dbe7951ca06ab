// How fast operators were, against what the devices can do: FLOP per second over FLOP per byte.

const ROOF_WIDTH = 1000;
const ROOF_HEIGHT = 420;
const ROOF_LEFT = 74;
const ROOF_BOTTOM = 44;
const NAMED_POINTS = 6;
const ROOF_DASHES = {
  "measured": "",
  "measured in cache": "9 4",
  "described": "3 4"
};

// Points for operators of which both numbers are known, with their device.
function rooflinePoints({nodes, devices}) {
  return nodes.filter((node) => node.flops > 0 && node.bytes > 0 && node.busy > 0).map((node) => {
    const number = devices.findIndex((device) => device.place === node.label.place);
    const device = devices[number];
    const intensity = node.flops / node.bytes;
    const bytes = device ? memoryRate(device, node.bytes / node.calls) : 0;
    const roof = device ? attainable(device.measured_flops, bytes, intensity) : 0;
    return {node, number, device, intensity, bytes, rate: node.flopRate, roof};
  });
}

// What calls that move that many bytes can be compared with: what they move may be in a cache.
function memoryRate(device, callBytes) {
  const levels = device.memory_levels;
  if (levels.length === 0) return device.measured_bytes;
  const below = levels.filter((level) => level.call_bytes <= callBytes);
  return (below.at(-1) || levels[0]).bytes;
}

// FLOP per second at that intensity; 0 where a peak is not known.
function attainable(flops, bytes, intensity) {
  return flops > 0 && bytes > 0 ? Math.min(flops, bytes * intensity) : 0;
}

function knownRoofs(devices) {
  return devices
      .flatMap(
          (device, number) =>
              [{
                device,
                number,
                flops: device.measured_flops,
                bytes: device.measured_bytes,
                text: "measured"
              },
               {
                 device,
                 number,
                 flops: device.measured_flops,
                 bytes: device.memory_levels.length > 0 ? device.memory_levels[0].bytes : 0,
                 text: "measured in cache"
               },
               {
                 device,
                 number,
                 flops: device.described_flops,
                 bytes: device.described_bytes,
                 text: "described"
               },
  ]).filter((roof) => roof.flops > 0 && roof.bytes > 0);
}

function marker(number, x, y, title) {
  const attributes = {class: "point", fill: LINE_COLORS[number % LINE_COLORS.length]};
  const shapes = [
    () => svg("circle", {...attributes, cx: x, cy: y, r: 5}),
    () => svg("rect", {...attributes, x: x - 4.5, y: y - 4.5, width: 9, height: 9}),
    () => svg("path", {...attributes, d: `M${x} ${y - 6}L${x + 6} ${y + 5}L${x - 6} ${y + 5}Z`}),
    () => svg(
        "path", {...attributes, d: `M${x} ${y - 6}L${x + 6} ${y}L${x} ${y + 6}L${x - 6} ${y}Z`}),
  ];
  const shape = shapes[number % shapes.length]();
  shape.append(svg("title", null, title));
  return shape;
}

// Powers of ten around all points and the roofs' corners.
function rooflineScales(points, roofs) {
  const around = (values) =>
      [10 ** Math.floor(Math.log10(Math.min(...values)) - 0.1),
       10 ** Math.ceil(Math.log10(Math.max(...values)) + 0.1)];
  const xs = around(
      [...points.map((point) => point.intensity), ...roofs.map((roof) => roof.flops / roof.bytes)]);
  const ys = around([...points.map((point) => point.rate), ...roofs.map((roof) => roof.flops)]);
  const share = (value, [low, high]) =>
      (Math.log10(value) - Math.log10(low)) / (Math.log10(high) - Math.log10(low));
  return {
    xs,
    ys,
    x: (value) => ROOF_LEFT + share(value, xs) * (ROOF_WIDTH - ROOF_LEFT - 16),
    y: (value) => ROOF_HEIGHT - ROOF_BOTTOM - share(value, ys) * (ROOF_HEIGHT - ROOF_BOTTOM - 12)
  };
}

function rooflineAxes({xs, ys, x, y}) {
  const plain = (value) =>
      (value >= 1e6 || value < 1e-3 ? value.toExponential(0) :
           value >= 1000            ? formatCount(value) :
                                      String(Number(value.toPrecision(3))));
  const [left, right] = [x(xs[0]), x(xs[1])];
  const [bottom, top] = [y(ys[0]), y(ys[1])];
  return [
    powersOfTen(...xs).map(
        (value) =>
            [svg("line", {class: "grid", x1: x(value), x2: x(value), y1: bottom, y2: top}),
             svg("text", {x: x(value), y: bottom + 16, "text-anchor": "middle"}, plain(value))]),
    powersOfTen(...ys).map(
        (value) =>
            [svg("line", {class: "grid", x1: left, x2: right, y1: y(value), y2: y(value)}),
             svg("text", {x: left - 8, y: y(value) + 4, "text-anchor": "end"},
                 plain(value / 1e9))]),
    svg("text", {x: (left + right) / 2, y: ROOF_HEIGHT - 6, "text-anchor": "middle"},
        "FLOP per byte"),
    svg("text", {
      x: 14,
      y: (top + bottom) / 2,
      "text-anchor": "middle",
      transform: `rotate(-90 14 ${(top + bottom) / 2})`
    },
        "GFLOP/s"),
  ];
}

function roofLine(roof, {xs, ys, x, y}) {
  const ridge = roof.flops / roof.bytes;
  // Where the slope comes up from below the chart, and where it leaves to the right.
  const from = Math.max(xs[0], ys[0] / roof.bytes);
  return svg("path", {
    class: "line",
    stroke: LINE_COLORS[roof.number % LINE_COLORS.length],
    "stroke-dasharray": ROOF_DASHES[roof.text],
    d: `M${x(from)} ${y(from * roof.bytes)}L${x(ridge)} ${y(roof.flops)}H${x(xs[1])}`
  });
}

function pointTitle({node, intensity, rate, roof}) {
  return `${labelTitle(node.label)} ${node.label.instance}: ${formatGiga(rate)} GFLOP/s at ` +
      `${significant(intensity)} FLOP per byte${
             roof > 0 ?
                 `, ${rate > roof ? "above" : `${formatShare(rate, roof)} of`} what is attainable` :
                                    ""                   }`;
}

// Names beside their points, on the side where no other name is; left out where there is none.
function nameTexts(named, points, {x, y}) {
  const taken =
      points.map((point) => ({x: x(point.intensity) - 6, y: y(point.rate) + 4, width: 12}));
  const overlaps = (a) =>
      taken.some((b) => a.x < b.x + b.width && b.x < a.x + a.width && Math.abs(a.y - b.y) < 13);
  return named.map((point) => {
    const text = labelTitle(point.node.label);
    const width = text.length * 6.6;
    const [px, py] = [x(point.intensity), y(point.rate)];
    const box = [[9, 4], [-9 - width, 4], [-width / 2, -11], [-width / 2, 19]]
                    .map(([dx, dy]) => ({x: px + dx, y: py + dy, width}))
                    .find((one) => !overlaps(one));
    if (!box) return null;
    taken.push(box);
    return svg("text", {class: "name", x: box.x, y: box.y}, text);
  });
}

function rooflineChart(points, roofs) {
  const scales = rooflineScales(points, roofs);
  const named = [...points].sort((a, b) => b.node.busy - a.node.busy).slice(0, NAMED_POINTS);
  return svg(
      "svg", {
        viewBox: `0 0 ${ROOF_WIDTH} ${ROOF_HEIGHT}`,
        class: "chart",
        role: "img",
        "aria-label": "Roofline plot; the table below has its points."
      },
      rooflineAxes(scales), roofs.map((roof) => roofLine(roof, scales)),
      points.map(
          (point) => marker(
              Math.max(0, point.number), scales.x(point.intensity), scales.y(point.rate),
              pointTitle(point))),
      nameTexts(named, points, scales));
}

function rooflineLegend(roofs, points) {
  const places = [...new Set(points.map((point) => point.number))].filter((number) => number >= 0);
  return el(
      "ul", {class: "legend"},
      places.map(
          (number) =>
              el("li", null,
                 svg("svg", {viewBox: "0 0 16 16", class: "sample point", "aria-hidden": "true"},
                     marker(number, 8, 8, "")),
                 `Operators on ${points.find((point) => point.number === number).device.place}`)),
      roofs.map(
          (roof) =>
              el("li", null,
                 svg("svg", {viewBox: "0 0 40 10", class: "sample", "aria-hidden": "true"},
                     svg("path", {
                       class: "line",
                       d: "M0 5H40",
                       stroke: LINE_COLORS[roof.number % LINE_COLORS.length],
                       "stroke-dasharray": ROOF_DASHES[roof.text]
                     })),
                 `${roof.device.place} ${roof.text}: ${formatGiga(roof.flops)} GFLOP/s, ${
                     formatGiga(roof.bytes)} GB/s`)));
}

function rooflineTable(points) {
  const bound = ({device, intensity, bytes}) =>
      (intensity * bytes < device.measured_flops ? "memory" : "arithmetic");
  const table = new SortedTable({
    name: "Points of the roofline plot",
    sort: "busy",
    columns: [
      {
        key: "name",
        title: "Operator",
        text: true,
        value: ({node}) => labelTitle(node.label),
        show: ({node}) =>
            [labelTitle(node.label), node.label.instance && el("small", null, node.label.instance)]
      },
      {key: "place", title: "Place", text: true, value: ({node}) => node.label.place},
      {
        key: "busy",
        title: "Busy",
        value: ({node}) => node.busy,
        show: ({node}) => formatNs(node.busy)
      },
      {
        key: "intensity",
        title: "FLOP/byte",
        value: (point) => point.intensity,
        show: (point) => significant(point.intensity)
      },
      {
        key: "rate",
        title: "GFLOP/s",
        value: (point) => point.rate,
        show: (point) => formatGiga(point.rate)
      },
      {
        key: "bytes",
        title: "GB/s",
        value: ({node}) => node.byteRate,
        show: ({node}) => formatGiga(node.byteRate)
      },
      {
        key: "share",
        title: "Of attainable",
        value: (point) => (point.roof > 0 ? point.rate / point.roof : 0),
        hint: "an operator exceeds it that counts more than its kernel does, or computes in " +
            "another precision",
        show: (point) =>
            (point.rate > point.roof && point.roof > 0 ? "above the measured peak" :
                                                         formatShare(point.rate, point.roof))
      },
      {
        key: "bound",
        title: "Limited by",
        text: true,
        value: (point) => (point.roof > 0 ? bound(point) : NONE)
      },
    ]
  });
  table.setRows(points);
  return table;
}

function drawRoofline(profile) {
  const points = rooflinePoints(profile);
  const roofs = knownRoofs(profile.devices);
  if (points.length === 0) {
    add(section("roofline"),
        el("p", {class: "muted"},
           "Of no operator are FLOP, bytes and the time of its work known."));
    return null;
  }
  const table = rooflineTable(points);
  add(section("roofline"), scrollBox("Roofline plot", rooflineChart(points, roofs)),
      rooflineLegend(roofs, points),
      roofs.length === 0 &&
          el("p", {class: "muted"}, "No peak of a device is known, hence no roof."),
      table.element);
  return table;
}
