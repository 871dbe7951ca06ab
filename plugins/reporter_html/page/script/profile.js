// The profile with its rows as objects.

const LABEL_CELLS = [
  "kind", "name", "instance", "place", "kernel", "detail", "flops", "bytes", "variable", "producer",
  "consumer", "reason", "source", "target"
];
const NODE_CELLS = [
  "label", "parent", "depth", "calls", "total", "self", "min", "max", "device", "deviceUnion",
  "flops", "bytes", "busy"
];
const COPY_CELLS = ["label", "crosses", "calls", "waited", "bytes", "host", "device", "busy"];

function toObjects(rows, cells) {
  return rows.map((row) => Object.fromEntries(cells.map((cell, i) => [cell, row[i]])));
}

// What a slice of that label is called.
function labelTitle(label) {
  if (label.kind === "copy" && label.variable) return `${label.name} ${label.variable}`;
  if (label.kind === "wait" && label.place) return `${label.name} ${label.place}`;
  return label.name;
}

function withPaths(nodes, labels) {
  for (const node of nodes) {
    node.label = labels[node.label];
    const parent = nodes[node.parent];
    node.path = parent ? [...parent.path, labelTitle(parent.label)] : [];
    node.flopRate = perSecond(node.flops, node.busy);
    node.byteRate = perSecond(node.bytes, node.busy);
  }
  return nodes;
}

function loadProfile() {
  const data = JSON.parse(section("data").textContent);
  const labels = toObjects(data.labels, LABEL_CELLS);
  const copies = toObjects(data.copies, COPY_CELLS);
  for (const copy of copies) copy.label = labels[copy.label];
  return {
    ...data,
    labels,
    copies,
    nodes: withPaths(toObjects(data.nodes, NODE_CELLS), labels),
    steps: loadSteps(data.steps),
    spans: loadSpans(data.spans),
    work: loadWork(data.work),
    memory: loadMemory(data.memory),
    gaps: loadGaps(data.gaps),
  };
}
