// What ran, how long it took, and where the time of each thread and device went.

const PARTS = [
  ["self_ns", "Self", "self", "in spans, without waiting"],
  ["idle_ns", "Idle", "idle", "waiting for a device or a copy"],
  ["unaccounted_ns", "Unaccounted", "unaccounted", "outside of any span"],
];

function facts(rows) {
  return el(
      "dl", {class: "facts"},
      rows.map(
          ([name, value, note]) =>
              el("div", null, el("dt", null, name),
                 el("dd", null, value, note && el("small", null, note)))));
}

function sessionFacts(profile) {
  const {session, steps, stepTimes, threads, devices, copies} = profile;
  const crossing = copies.filter((copy) => copy.crosses);
  const sum = (rows, key) => rows.reduce((total, row) => total + row[key], 0);
  const waited = sum(crossing, "waited");
  return facts([
    ["Wall time", formatNs(session.wall_ns)],
    [
      "Steps", formatCount(steps.count),
      steps.count > 0 &&
          `median ${formatNs(stepTimes.median_ns)}, mean ${formatNs(stepTimes.mean_ns)}, total ${
              formatNs(stepTimes.total_ns)}`
    ],
    [
      "Events", formatCount(session.spans + session.device_spans + session.memory_events),
      `${formatCount(session.spans)} host, ${formatCount(session.device_spans)} device, ${
          formatCount(session.memory_events)} memory`
    ],
    ["Threads", formatCount(threads.length)],
    ["Devices", formatCount(devices.length), devices.map((device) => device.place).join(", ")],
    [
      "Copies between places", formatCount(sum(crossing, "calls")),
      `${formatBytes(sum(crossing, "bytes"))}, the host waited for ${formatCount(waited)}`
    ],
    ["Recorded", `level ${session.level}`],
  ]);
}

// Wall = self + idle + unaccounted, each measured by itself.
function accountingBar(thread) {
  const sum = PARTS.reduce((total, [key]) => total + thread[key], 0);
  const whole = Math.max(thread.wall_ns, sum) || 1;
  const text = PARTS.map(([key, name]) => `${name} ${formatShare(thread[key], thread.wall_ns)}`);
  return el(
      "div", {class: "bar", role: "img", "aria-label": text.join(", ")},
      PARTS.map(
          ([key, name, style]) =>
              el("div", {
                class: `part ${style}`,
                style: `width:${(100 * thread[key] / whole).toFixed(2)}%`,
                title: `${name}: ${formatNs(thread[key])}`,
              },
                 thread[key] / whole > 0.2 ?
                     el("span", null, `${name} ${formatShare(thread[key], thread.wall_ns)}`) :
                     "")));
}

function threadTable(profile) {
  const difference = (thread) =>
      thread.wall_ns - PARTS.reduce((total, [key]) => total + thread[key], 0);
  const time = (key, title, hint) => ({
    key,
    title,
    hint,
    value: (row) => row[key],
    show: (row) => [formatNs(row[key]), el("small", null, formatShare(row[key], row.wall_ns))]
  });
  const table = new SortedTable({
    name: "Where the time of each thread went",
    sort: "wall_ns",
    columns: [
      {
        key: "name",
        title: "Thread",
        text: true,
        value: (row) => row.name || `thread ${row.number}`
      },
      {
        key: "wall_ns",
        title: "Wall",
        value: (row) => row.wall_ns,
        show: (row) => formatNs(row.wall_ns)
      },
      ...PARTS.map(([key, title, , hint]) => time(key, title, hint)),
      {
        key: "difference",
        title: "Difference",
        value: difference,
        show: (row) => formatNs(difference(row)),
        hint:
            "wall less the three parts, which are measured each by itself: what is wrong with the profile"
      },
      {
        key: "bar",
        title: "Share of the wall time",
        value: (row) => row.self_ns / (row.wall_ns || 1),
        show: accountingBar
      },
    ],
  });
  table.setRows(profile.threads);
  return table.element;
}

function deviceTable(profile) {
  const wall = profile.session.wall_ns;
  const peak = (measured, described) =>
      [formatGiga(measured),
       described > 0 && el("small", null, `described ${formatGiga(described)}`)];
  const table = new SortedTable({
    name: "Devices",
    sort: "busy_ns",
    empty: "No device reported work.",
    columns: [
      {key: "place", title: "Place", text: true, value: (row) => row.place},
      {
        key: "name",
        title: "Device",
        text: true,
        value: (row) => row.name,
        show: (row) => [row.name, row.driver && el("small", null, row.driver)]
      },
      {
        key: "busy_ns",
        title: "Busy",
        value: (row) => row.busy_ns,
        hint: "time in which at least one work ran",
        show: (row) => shareCell(
            `${formatNs(row.busy_ns)} (${formatShare(row.busy_ns, wall)})`,
            row.busy_ns / (wall || 1))
      },
      {
        key: "total_ns",
        title: "Sum",
        value: (row) => row.total_ns,
        show: (row) => formatNs(row.total_ns),
        hint: "of the times of all work; above busy where work overlaps"
      },
      {key: "streams", title: "Streams", value: (row) => row.streams},
      {
        key: "flops",
        title: "Peak GFLOP/s",
        value: (row) => row.measured_flops,
        hint: "measured on this machine",
        show: (row) => peak(row.measured_flops, row.described_flops)
      },
      {
        key: "bytes",
        title: "Peak GB/s",
        value: (row) => row.measured_bytes,
        hint: "of its memory, measured on this machine",
        show: (row) => peak(row.measured_bytes, row.described_bytes)
      },
    ],
  });
  table.setRows(profile.devices);
  return table.element;
}

// What took the host's time: the rows add up to the self time of all threads.
function timeTable(profile) {
  const whole = profile.threads.reduce((total, thread) => total + thread.self_ns, 0);
  const hasDevice = profile.rows.some((row) => row.device_ns > 0);
  const table = new SortedTable({
    name: "What took the host's time",
    sort: hasDevice ? "device" : "host",
    empty: "Nothing was recorded.",
    columns: [
      {key: "name", title: "Name", text: true, value: (row) => row.name},
      {key: "kind", title: "Kind", text: true, value: (row) => row.kind},
      {key: "place", title: "Place", text: true, value: (row) => row.place},
      {key: "calls", title: "Calls", value: (row) => row.calls},
      {
        key: "host",
        title: "Host",
        value: (row) => row.host_ns,
        hint: "self time with that of phases and calls within, without waiting",
        show: (row) => shareCell(
            `${formatNs(row.host_ns)} (${formatShare(row.host_ns, whole)})`,
            row.host_ns / (whole || 1))
      },
      {
        key: "device",
        title: "Device",
        value: (row) => row.device_ns,
        hint: "sum of the times of the work that it launched itself",
        show: (row) => formatNs(row.device_ns)
      },
    ],
  });
  table.setRows(profile.rows);
  return table.element;
}

function accountingLegend() {
  return el(
      "ul", {class: "legend"},
      PARTS.map(
          ([, name, style, meaning]) =>
              el("li", null, el("span", {class: `swatch part ${style}`}), `${name}: ${meaning}`)));
}

function drawOverview(profile) {
  const {session} = profile;
  const started = new Date(session.started_at_unix_ns / 1e6);
  section("headline").textContent = [
    session.program, session.machine,
    session.started_at_unix_ns > 0 && started.toISOString().replace("T", " ").slice(0, 19) + " UTC",
    session.version && `Loci ${session.version}`
  ].filter(Boolean).join(" · ");
  if (session.program) document.title = `${session.program} – Loci profile`;
  add(section("overview"), sessionFacts(profile),
      el("h3", null, "Threads: wall = self + idle + unaccounted"), threadTable(profile),
      accountingLegend(), el("h3", null, "What took the host's time"), timeTable(profile),
      el("p", {class: "muted"},
         "A step is what the application marked, else a run of the main thread. Self: time in a " +
             "span that no span within it covers. Host: self time with that of the phases and " +
             "calls within, without waiting; all rows add up to the self time of all threads. " +
             "Device: time of the work that the row launched itself."),
      el("h3", null, "Devices"), deviceTable(profile));
}
