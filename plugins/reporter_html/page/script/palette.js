// Colours of slices and lines, after Okabe and Ito: told apart with any colour vision. None is the
// only sign: slices carry names, copies and waits are hatched, lines have dashes, points have
// shapes.

const KIND_STYLES = {
  op: {color: "#0072b2", text: "Operator"},
  gradient: {color: "#cc79a7", text: "Gradient"},
  phase: {color: "#56b4e9", text: "Phase of an operator"},
  copy: {color: "#d55e00", text: "Copy", hatch: "rising"},
  framework: {color: "#9a9a9a", text: "Framework"},
  run: {color: "#aeb7c0", text: "Run"},
  user: {color: "#f0e442", text: "User range"},
  wait: {color: "#e69f00", text: "Wait", hatch: "falling"},
  call: {color: "#b8b04a", text: "Call of a device"},
  kernel: {color: "#009e73", text: "Kernel"},
  fill: {color: "#e69f00", text: "Fill"},
  idle: {color: "#8a8a8a", text: "Idle device", hatch: "sparse"},
  step: {color: "#c3cad1", text: "Step"},
};
const OTHER_STYLE = {
  color: "#9a9a9a",
  text: "Other"
};
const LINE_COLORS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"];
const LINE_DASHES = ["", "7 3", "2 3", "9 3 2 3", "12 4", "4 2 1 2"];

function kindStyle(kind) {
  return KIND_STYLES[kind] || OTHER_STYLE;
}

// Black or white, whichever is easier to read on that colour.
function inkOn(color) {
  const channel = (at) => {
    const value = parseInt(color.slice(at, at + 2), 16) / 255;
    return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  const luminance = 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5);
  return luminance > 0.18 ? "#000" : "#fff";
}

// The page's own colours, which follow the scheme; `light` for paper.
function pageColors(light) {
  if (light) return {ink: "#111", muted: "#555", line: "#ccc", ground: "#fff", band: "#f4f4f4"};
  const style = getComputedStyle(document.documentElement);
  const read = (name) => style.getPropertyValue(name).trim();
  return {
    ink: read("--ink"),
    muted: read("--muted"),
    line: read("--line"),
    ground: read("--ground"),
    band: read("--band")
  };
}
