// Marks on axes.

// Round numbers: at most `most` of 1, 2 or 5 times a power of ten.
function linearTicks(from, to, most) {
  const rough = (to - from) / Math.max(1, most);
  if (!(rough > 0)) return [from];
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((value) => value >= rough);
  const ticks = [];
  for (let i = Math.ceil(from / step - 1e-9); i * step <= to * (1 + 1e-12); ++i)
    ticks.push(i * step);
  return ticks;
}

// A moment in the unit that suits `largest`, with as many digits as tell it from one `step` later.
function formatMoment(ns, step = 1000, largest = ns) {
  const [unit, size] =
      [["s", 1e9], ["ms", 1e6], ["µs", 1e3], ["ns", 1]].find(([, one]) => largest >= one) ||
      ["ns", 1];
  const digits = Math.max(0, Math.ceil(-Math.log10(step / size) - 1e-9));
  return `${(ns / size).toFixed(Math.min(digits, 9))} ${unit}`;
}

function powersOfTen(from, to) {
  const ticks = [];
  for (let i = Math.ceil(Math.log10(from) - 1e-9); 10 ** i <= to * (1 + 1e-9); ++i)
    ticks.push(10 ** i);
  return ticks;
}
