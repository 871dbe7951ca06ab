// Tables that sort by a column and show the first rows only until asked for all.
//
// A column: {key, title, text: bool, value(row), show(row), hint}. `show` gives text or a node;
// without it the value is shown. The first column names the row.

const FIRST_ROWS = 200;

// Text that breaks where a name has its joints, rather than anywhere.
function breakable(text) {
  return text.split(/(?<=[/_.])/).flatMap((part, i) => (i > 0 ? [el("wbr"), part] : [part]));
}

class SortedTable {
  constructor({name, columns, sort, descending = true, empty = "Nothing here."}) {
    this.columns = columns;
    this.sortKey = sort;
    this.descending = descending;
    this.rows = [];
    this.showsAll = false;
    this.heads = columns.map((column) => this.makeHead(column));
    this.body = el("tbody");
    this.more = el("button", {type: "button", class: "more", onclick: () => this.showAll()});
    this.nothing = el("p", {class: "muted"}, empty);
    const table =
        el("table", null, el("caption", {class: "hidden"}, name),
           el("thead", null, el("tr", null, this.heads)), this.body);
    this.box = scrollBox(name, table);
    this.element = el("div", {class: "table"}, this.box, this.nothing, this.more);
  }

  makeHead(column) {
    const button =
        el("button", {type: "button", title: column.hint, onclick: () => this.sortBy(column.key)},
           column.title);
    return el("th", {scope: "col", class: column.text ? "" : "number"}, button);
  }

  // Sorts by the column; by the one it is sorted by already, the other way.
  sortBy(key, descending) {
    const column = this.columns.find((one) => one.key === key);
    if (!column) return;
    this.descending = descending ?? (key === this.sortKey ? !this.descending : !column.text);
    this.sortKey = key;
    this.draw();
  }

  setRows(rows) {
    this.rows = rows;
    this.draw();
  }

  showAll() {
    this.showsAll = true;
    this.draw();
  }

  sorted() {
    const {value} = this.columns.find((column) => column.key === this.sortKey);
    const sign = this.descending ? -1 : 1;
    const compare = (a, b) => (a < b ? -sign : a > b ? sign : 0);
    return [...this.rows].sort((a, b) => compare(value(a), value(b)));
  }

  draw() {
    const sorted = this.sorted();
    const shown = this.showsAll ? sorted : sorted.slice(0, FIRST_ROWS);
    this.body.replaceChildren(...shown.map((row) => this.makeRow(row)));
    this.columns.forEach((column, i) => {
      const order = this.descending ? "descending" : "ascending";
      if (column.key === this.sortKey)
        this.heads[i].setAttribute("aria-sort", order);
      else
        this.heads[i].removeAttribute("aria-sort");
    });
    this.box.hidden = sorted.length === 0;
    this.nothing.hidden = sorted.length !== 0;
    this.more.hidden = shown.length === sorted.length;
    this.more.textContent = `Show all ${formatCount(sorted.length)} rows (now ${shown.length})`;
  }

  makeRow(row) {
    return el("tr", null, this.columns.map((column, i) => {
      const content = column.show ? column.show(row) : breakable(String(column.value(row)));
      const attributes = {class: column.text ? "text" : "number"};
      return i === 0 ? el("th", {scope: "row", ...attributes}, content) :
                       el("td", attributes, content);
    }));
  }

  // What a reader sees, row by row; for tests.
  texts() {
    return [...this.body.rows].map((row) => [...row.cells].map((cell) => cell.textContent));
  }
}

// A number with a bar behind it that shows its share.
function shareCell(text, share) {
  const percent = Math.max(0, Math.min(100, 100 * share));
  return el("span", {class: "share", style: `--share-width:${percent.toFixed(1)}%`}, text);
}
