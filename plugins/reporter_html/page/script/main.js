// Builds the page. window.loci is for tests and for the console.

function start() {
  const profile = loadProfile();
  drawOverview(profile);
  drawAdvice(profile);
  const timeline = new Timeline(profile);
  const operators = new Operators(profile, (label) => timeline.showLongest(label));
  const transfers = drawTransfers(profile);
  const memory = drawMemory(profile);
  const roofline = drawRoofline(profile);
  drawQuality(profile);
  window.loci =
      {profile, operators, timeline, transfers, memory, roofline, readyMs: performance.now()};
  document.documentElement.dataset.ready = "true";
}
