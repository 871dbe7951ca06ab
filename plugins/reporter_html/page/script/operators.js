// The nodes of the call tree as a table that sorts and filters.

const KIND_CHOICES = [
  ["operators", "Operators"], ["all", "All spans"], ["copy", "Copies"], ["phase", "Phases"],
  ["framework", "Framework"], ["run", "Runs"], ["user", "User ranges"], ["wait", "Waits"],
  ["call", "Calls"]
];

function isOfKind(node, kind) {
  if (kind === "all") return true;
  if (kind === "operators") return node.label.kind === "op" || node.label.kind === "gradient";
  return node.label.kind === kind;
}

// Every word has to occur.
function matches(row, words) {
  return words.every((word) => row.search.includes(word));
}

function toRow(node) {
  const {label} = node;
  const search = [
    labelTitle(label), label.instance, label.place, label.kernel, label.detail, ...node.path
  ].join(" ").toLowerCase();
  return {...node, search, title: labelTitle(label), instance: label.instance, place: label.place};
}

// Sums for rates: what is done in a time that is not known takes no part.
function addRated(group, node) {
  const known = node.busy > 0 ? 1 : 0;
  group.ratedFlops = (group.ratedFlops || 0) + known * node.flops;
  group.ratedBytes = (group.ratedBytes || 0) + known * node.bytes;
  return group;
}

// Rows of one name, kind and place as one. A row within another of its kind counts for calls and
// self time only: its total is in the other's already.
function grouped(nodes, all) {
  const groups = new Map();
  const key = (node) => `${node.label.kind}\n${labelTitle(node.label)}\n${node.label.place}`;
  const isNested = (node, of) => {
    for (let at = all[node.parent]; at; at = all[at.parent])
      if (key(at) === of) return true;
    return false;
  };
  for (const node of nodes) {
    const of = key(node);
    const group = groups.get(of);
    if (!group) {
      const row = {...toRow(node), path: [], instances: 1, hasCalls: node.calls > 0};
      groups.set(of, addRated(row, node));
      continue;
    }
    ++group.instances;
    for (const sum of ["calls", "self", "flops", "bytes"]) group[sum] += node[sum];
    addRated(group, node);
    if (node.calls > 0) group.min = group.hasCalls ? Math.min(group.min, node.min) : node.min;
    group.hasCalls ||= node.calls > 0;
    group.max = Math.max(group.max, node.max);
    if (!isNested(node, of)) {
      for (const sum of ["total", "device", "deviceUnion", "busy"]) group[sum] += node[sum];
    }
  }
  for (const group of groups.values()) {
    if (group.instances > 1) group.instance = `${group.instances} instances`;
    group.flopRate = perSecond(group.ratedFlops, group.busy);
    group.byteRate = perSecond(group.ratedBytes, group.busy);
  }
  return [...groups.values()];
}

// The whole of a row that has only parts of calls.
function meanTime(row) {
  return row.total / Math.max(row.calls, 1);
}

function nameCell(row, showInTimeline) {
  return [
    el("button", {
      type: "button",
      class: "link",
      title: "Show the longest call in the timeline",
      onclick: () => showInTimeline(row.label)
    },
       breakable(row.title)),
    row.path.length > 0 && el("small", null, row.path.join(" › "))
  ];
}

function operatorColumns(profile, showInTimeline) {
  const wall = profile.session.wall_ns || 1;
  const time = (key, title, hint) =>
      ({key, title, hint, value: (row) => row[key], show: (row) => formatNs(row[key])});
  const shared = (key, title, hint) =>
      ({...time(key, title, hint), show: (row) => shareCell(formatNs(row[key]), row[key] / wall)});
  return [
    {
      key: "name",
      title: "Name",
      text: true,
      value: (row) => row.title,
      show: (row) => nameCell(row, showInTimeline)
    },
    {key: "instance", title: "Instance", text: true, value: (row) => row.instance},
    {key: "place", title: "Place", text: true, value: (row) => row.place},
    {key: "kernel", title: "Kernel", text: true, value: (row) => row.label.kernel},
    {
      key: "calls",
      title: "Calls",
      value: (row) => row.calls,
      show: (row) => formatCount(row.calls)
    },
    shared(
        "total", "Total", "host time, with what is within; the bar is its share of the wall time"),
    shared(
        "self", "Self",
        "host time, without what is within, such as its phases; the bar is its share of the wall time"),
    {key: "mean", title: "Mean", value: meanTime, show: (row) => formatNs(meanTime(row))},
    time("min", "Min"),
    time("max", "Max"),
    time("device", "Device", "sum of the times of all device work, with what is within"),
    {
      key: "flops",
      title: "GFLOP/s",
      value: (row) => row.flopRate,
      show: (row) => formatGiga(row.flopRate),
      hint: "by the time in which devices worked on it, or the host where no accelerator did"
    },
    {
      key: "bytes",
      title: "GB/s",
      value: (row) => row.byteRate,
      show: (row) => formatGiga(row.byteRate),
      hint: "bytes read and written, by the same time"
    },
  ];
}

class Operators {
  constructor(profile, showInTimeline) {
    this.nodes = profile.nodes;
    this.kind = "operators";
    this.place = "";
    this.isGrouped = false;
    this.words = [];
    this.status = el("p", {class: "status", role: "status"});
    this.table = new SortedTable({
      name: "Operators",
      sort: profile.nodes.some((node) => node.device > 0) ? "device" : "total",
      columns: operatorColumns(profile, showInTimeline),
      empty: "No row matches."
    });
    add(section("operators"), this.makeControls(profile), this.status, this.table.element);
    this.update();
  }

  makeControls(profile) {
    const places =
        [...new Set(profile.nodes.map((node) => node.label.place))].filter(Boolean).sort();
    this.search = el("input", {
      type: "search",
      placeholder: "name, instance, place, kernel",
      oninput: () => this.filter(this.search.value)
    });
    this.kinds = select(KIND_CHOICES, (kind) => this.setKind(kind));
    const choice = select(
        [["", "All places"], ...places.map((place) => [place, place])],
        (place) => this.setPlace(place));
    const groups = select(
        [["", "Each node of the call tree"], ["name", "By name and place"]],
        (group) => this.setGrouped(group === "name"));
    return el(
        "div", {class: "controls"}, labelled("Filter", this.search), labelled("Show", this.kinds),
        labelled("Place", choice), labelled("Rows", groups));
  }

  filter(text) {
    this.search.value = text;
    this.words = text.toLowerCase().split(/\s+/).filter(Boolean);
    this.update();
  }

  setKind(kind) {
    this.kinds.value = kind;
    this.kind = kind;
    this.update();
  }

  setPlace(place) {
    this.place = place;
    this.update();
  }

  setGrouped(isGrouped) {
    this.isGrouped = isGrouped;
    this.update();
  }

  update() {
    const nodes = this.nodes.filter(
        (node) =>
            isOfKind(node, this.kind) && (this.place === "" || node.label.place === this.place));
    const rows = this.isGrouped ? grouped(nodes, this.nodes) : nodes.map(toRow);
    const found = rows.filter((row) => matches(row, this.words));
    this.status.textContent = `${formatCount(found.length)} of ${formatCount(rows.length)} rows`;
    this.table.setRows(found);
  }
}
