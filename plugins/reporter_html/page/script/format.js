// Numbers as people read them: three significant digits with a unit.

const NONE = "–";

function significant(number) {
  if (number === 0) return "0";
  if (Math.abs(number) >= 1000) return formatCount(number);
  if (Math.abs(number) < 0.001) return "< 0.001";
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(number)) + 1e-9));
  return number.toFixed(Math.min(digits, 3));
}

function scaled(number, units, step) {
  let i = 0;
  // 999.6 is 1.00 of the next unit.
  while (i + 1 < units.length && Math.abs(number) >= step * 0.9995) {
    number /= step;
    ++i;
  }
  return `${significant(number)} ${units[i]}`;
}

function formatNs(ns) {
  if (ns === 0) return "0 ns";
  if (Math.abs(ns) < 1000) return `${Math.round(ns * 10) / 10} ns`;
  return scaled(ns / 1000, ["µs", "ms", "s"], 1000);
}

function formatBytes(bytes) {
  if (Math.abs(bytes) < 1000) return `${Math.round(bytes)} B`;
  return scaled(bytes / 1000, ["kB", "MB", "GB", "TB"], 1000);
}

// Groups of three, with a space that does not break.
function formatCount(count) {
  return String(Math.round(count)).replace(/\B(?=(\d{3})+$)/g, "\u00a0");
}

function formatShare(part, whole) {
  return whole > 0 ? `${(100 * part / whole).toFixed(1)} %` : NONE;
}

// Per second, in 10^9.
function formatGiga(perSecond) {
  return perSecond > 0 ? significant(perSecond / 1e9) : NONE;
}

// The units of facts.
function formatFact(value, unit) {
  switch (unit) {
    case "ns":
      return formatNs(value);
    case "bytes":
      return formatBytes(value);
    case "ratio":
      return formatShare(value, 1);
    case "count":
      return formatCount(value);
    default:
      return String(value);
  }
}

// Amount per second from nanoseconds; 0 where there is no time.
function perSecond(amount, ns) {
  return ns > 0 ? amount * 1e9 / ns : 0;
}
