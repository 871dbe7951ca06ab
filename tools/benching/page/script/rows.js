// The benchmark's rows, and how far each is from the roofs of its operators.

// The rows with what they consist of: sums over their operators, for one run of the row.
function loadRows(data) {
  return data.rows.map((row) => {
    const operators = row.operators || [];
    const sum = (of) => operators.reduce((total, op) => total + op.runs * of(op), 0);
    return {
      ...row,
      operators,
      peers: row.peers || {},
      flops: sum((op) => op.flops),
      bytes: sum((op) => op.bytes),
      inOperators: sum((op) => op.us),
      isTime: row.unit === "us"
    };
  });
}

function formatUs(us) {
  return us > 0 ? formatNs(us * 1000) : NONE;
}

function formatValue(row) {
  return row.isTime ? formatUs(row.value) : `${significant(row.value)} ${row.unit}`;
}

// How much of its time a row needs at least; undefined where that is not known.
function roofShare(row) {
  return row.isTime && row.bound_us > 0 ? row.bound_us / row.value : undefined;
}

function roofCell(share) {
  return share === undefined ? NONE : shareCell(formatShare(share, 1), share);
}

function budgetText(row) {
  if (row.met === null || row.met === undefined) return NONE;
  return row.met ? "met" : "missed";
}

const ROW_COLUMNS = [
  {key: "name", title: "Row", text: true, value: (row) => row.name},
  {key: "value", title: "Loci", value: (row) => row.value, show: formatValue},
  {
    key: "bound",
    title: "At the roofs",
    hint: "The time of the row if each operator reached its own roof",
    value: (row) => row.bound_us || 0,
    show: (row) => formatUs(row.bound_us)
  },
  {
    key: "share",
    title: "Of the roofs",
    hint: "The time at the roofs over the time that was measured",
    value: (row) => roofShare(row) ?? -1,
    show: (row) => roofCell(roofShare(row))
  },
  {
    key: "rate",
    title: "GFLOP/s",
    value: (row) => (row.isTime ? row.flops / row.value : 0),
    show: (row) => formatGiga(row.isTime ? row.flops / row.value * 1e6 : 0)
  },
  {key: "peer", title: "Best peer", text: true, value: (row) => row.peer || NONE},
  {
    key: "ratio",
    title: "Over it",
    hint: "Loci's figure over the best peer's",
    value: (row) => row.ratio ?? -1,
    show: (row) => (row.ratio ? row.ratio.toFixed(3) : NONE)
  },
  {key: "met", title: "Budget", text: true, value: budgetText},
];

function drawRows(rows) {
  const table =
      new SortedTable({name: "Rows", sort: "share", descending: false, columns: ROW_COLUMNS});
  table.setRows(rows);
  add(section("rows"),
      el("p", null,
         "A roof is the least time in which an operator can do its arithmetic, or move what it " +
             "reads and writes within the memory that this fills, whichever is longer. What the " +
             "operator is defined to do counts: a kernel that does less, as Winograd's method " +
             "for convolutions, can beat its roof; and what it moves counts as if the memory that " +
             "it fits held it, though of a large model it comes from further away."),
      table.element);
  return table;
}
