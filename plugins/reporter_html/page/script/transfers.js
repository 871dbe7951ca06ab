// Copies with their reasons, and what they cost.

function transferColumns() {
  const text = (key, title, hint) =>
      ({key, title, hint, text: true, value: (row) => row.label[key]});
  return [
    {key: "variable", title: "Variable", text: true, value: (row) => row.label.variable || NONE},
    {
      key: "way",
      title: "From – to",
      text: true,
      value: (row) => `${row.label.source} → ${row.label.target}`
    },
    text("reason", "Reason"),
    text("producer", "Made by"),
    text("consumer", "Needed by"),
    {
      key: "calls",
      title: "Calls",
      value: (row) => row.calls,
      show: (row) => formatCount(row.calls)
    },
    {
      key: "waited",
      title: "Host waited",
      value: (row) => row.waited,
      show: (row) => formatCount(row.waited),
      hint: "calls for which the host waited"
    },
    {
      key: "bytes",
      title: "Bytes",
      value: (row) => row.bytes,
      show: (row) => formatBytes(row.bytes)
    },
    {key: "host", title: "Host time", value: (row) => row.host, show: (row) => formatNs(row.host)},
    {
      key: "device",
      title: "Device time",
      value: (row) => row.device,
      show: (row) => formatNs(row.device)
    },
    {
      key: "rate",
      title: "GB/s",
      value: (row) => perSecond(row.ratedBytes, row.busy),
      show: (row) => formatGiga(perSecond(row.ratedBytes, row.busy)),
      hint: "by device time, or by host time where the host waited"
    },
  ];
}

// Copies that differ in their bytes alone, as those of the last batch do, as one row.
function mergedCopies(copies) {
  const rows = new Map();
  for (const copy of copies) {
    const {variable, source, target, reason, producer, consumer} = copy.label;
    const key = [variable, source, target, reason, producer, consumer].join("\n");
    const ratedBytes = copy.busy > 0 ? copy.bytes : 0;
    const row = rows.get(key);
    if (!row) {
      rows.set(key, {...copy, ratedBytes});
      continue;
    }
    for (const sum of ["calls", "waited", "bytes", "host", "device", "busy"]) row[sum] += copy[sum];
    row.ratedBytes += ratedBytes;
  }
  return [...rows.values()];
}

function transferTotals(copies) {
  const sum = (key) => copies.reduce((total, copy) => total + copy[key], 0);
  return facts([
    ["Calls", formatCount(sum("calls"))], ["Host waited", formatCount(sum("waited"))],
    ["Bytes", formatBytes(sum("bytes"))], ["Host time", formatNs(sum("host"))],
    ["Device time", formatNs(sum("device"))]
  ]);
}

function drawTransfers(profile) {
  const make = (title, copies, name, empty) => {
    const table = new SortedTable({name, columns: transferColumns(), sort: "bytes", empty});
    table.setRows(mergedCopies(copies));
    add(section("transfers"), el("h3", null, title), copies.length > 0 && transferTotals(copies),
        table.element);
    return table;
  };
  const within = profile.copies.filter((copy) => !copy.crosses);
  const table = make(
      "Between places", profile.copies.filter((copy) => copy.crosses), "Copies between places",
      "No copy between places.");
  if (within.length > 0) make("Within one place", within, "Copies within one place", "");
  return table;
}
