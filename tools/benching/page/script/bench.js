// Builds the page. window.loci is for tests and for the console.

function start() {
  const data = JSON.parse(section("data").textContent);
  const rows = loadRows(data);
  const limits = data.limits || [];
  section("bench").textContent = data.bench;
  section("headline").textContent = data.machine;
  document.title = `Loci benchmark ${data.bench}`;
  const table = drawRows(rows);
  drawPeers(rows, data.notes || []);
  const operators = drawOperators(rows);
  const points = drawRowPoints(rows, limits);
  const limitTable = drawLimits(limits);
  window.loci = {data, rows, table, operators, points, limits: limitTable};
  document.documentElement.dataset.ready = "true";
}
