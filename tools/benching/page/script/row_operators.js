// The operators of one row, each against its own roof.

const lostUs = (op) => op.runs * (op.us - op.bound_us);
const totalUs = (op) => op.runs * op.us;

function operatorName(op) {
  return [op.name, op.instance && el("small", null, breakable(op.instance))];
}

// "float32[32, 784], float32[784, 512]" of a text that names arguments too: inputs, then outputs.
function shapesOf(detail) {
  const types = detail.match(/\b(?:float|bfloat|int|uint|bool)\d*\[[^\]]*\]/g);
  return types ? types.join(", ") : detail;
}

// Columns for the operators of a row that takes so many microseconds in them.
function operatorColumns(row) {
  return [
    {key: "name", title: "Operator", text: true, value: (op) => op.name, show: operatorName},
    {key: "kernel", title: "Kernel", text: true, value: (op) => op.kernel},
    {
      key: "time",
      title: "Time",
      value: totalUs,
      show: (op) => shareCell(formatUs(totalUs(op)), totalUs(op) / row.inOperators)
    },
    {key: "runs", title: "Runs", value: (op) => op.runs, show: (op) => significant(op.runs)},
    {
      key: "lost",
      title: "Over its roof",
      hint: "The time that would be saved if it reached its roof",
      value: lostUs,
      show: (op) => formatUs(lostUs(op))
    },
    {
      key: "share",
      title: "Of the roof",
      value: (op) => op.bound_us / op.us,
      show: (op) => roofCell(op.bound_us > 0 ? op.bound_us / op.us : undefined)
    },
    {
      key: "by",
      title: "Limited by",
      text: true,
      value: (op) => (op.bound_us > 0 ? op.bound_by : NONE)
    },
    {
      key: "rate",
      title: "GFLOP/s",
      value: (op) => op.flops / op.us,
      show: (op) => formatGiga(op.flops / op.us * 1e6)
    },
    {
      key: "bytes",
      title: "GB/s",
      value: (op) => op.bytes / op.us,
      show: (op) => formatGiga(op.bytes / op.us * 1e6)
    },
    {key: "detail", title: "Shapes", text: true, value: (op) => shapesOf(op.detail)},
  ];
}

class RowOperators {
  constructor(rows) {
    this.rows = rows.filter((row) => row.operators.length > 0);
    this.choice = select(this.rows.map((row, i) => [i, row.name]), (value) => this.show(value));
    this.summary = el("p", {class: "status", role: "status"});
    this.place = el("div");
    if (this.rows.length > 0) this.show(0);
  }

  show(number) {
    const row = this.rows[number];
    this.choice.value = String(number);
    this.summary.textContent = `${formatValue(row)}, of which ${
        formatUs(row.inOperators)} in operators; at their roofs ${formatUs(row.bound_us)}.`;
    this.table = new SortedTable(
        {name: `Operators of ${row.name}`, sort: "lost", columns: operatorColumns(row)});
    this.table.setRows(row.operators);
    this.place.replaceChildren(this.table.element);
  }
}

function drawOperators(rows) {
  const operators = new RowOperators(rows);
  if (operators.rows.length === 0) {
    add(section("operators"), el("p", {class: "muted"}, "Of no row are the operators known."));
    return operators;
  }
  add(section("operators"), el("div", {class: "controls"}, labelled("Row", operators.choice)),
      operators.summary, operators.place);
  return operators;
}
