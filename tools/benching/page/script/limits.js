// What the machine can do at most, by the number of threads.

function limitRows(limits) {
  return limits.flatMap(({threads, levels}) => levels.map((level) => ({threads, ...level})));
}

function drawLimits(limits) {
  if (limits.length === 0) {
    add(section("limits"), el("p", {class: "muted"}, "They were not measured."));
    return null;
  }
  const table = new SortedTable({
    name: "Bandwidth by size",
    sort: "threads",
    descending: false,
    columns: [
      {
        key: "threads",
        title: "Threads",
        value: ({threads}) => threads,
        show: ({threads}) => threadsText(threads)
      },
      {
        key: "bytes",
        title: "Bytes in use",
        value: ({bytes}) => bytes,
        show: ({bytes}) => formatBytes(bytes)
      },
      {
        key: "read",
        title: "Reading, GB/s",
        value: ({read}) => read,
        show: ({read}) => formatGiga(read)
      },
      {
        key: "copy",
        title: "Copying, GB/s",
        hint: "Bytes read and bytes written",
        value: ({copy}) => copy,
        show: ({copy}) => formatGiga(copy)
      },
    ]
  });
  table.setRows(limitRows(limits));
  add(section("limits"),
      el("p", null,
         "Measured in this run: fused multiply-adds in registers, as wide as the processor has " +
             "them, and loops that read or copy so many bytes over and over, all threads " +
             "together. The last size lies beyond all caches."),
      el("dl", {class: "facts"},
         limits.map(
             ({threads, flops}) =>
                 el("div", null, el("dt", null, threadsText(threads)),
                    el("dd", null, `${formatGiga(flops)} GFLOP/s`)))),
      table.element);
  return table;
}
