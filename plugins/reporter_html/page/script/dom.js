// Building elements. Text is always set as text: names come from models and are not trusted.

const SVG = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) {
      node.addEventListener(name.slice(2), value);
    } else {
      node.setAttribute(name, value === true ? "" : value);
    }
  }
  for (const child of children.flat(Infinity)) {
    if (child !== undefined && child !== null && child !== false) node.append(child);
  }
  return node;
}

// el("td", {class: "number"}, "12")
function el(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

function svg(tag, attributes, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function section(id) {
  return document.getElementById(id);
}

// Appends; what is false or null is left out, lists are taken apart.
function add(node, ...children) {
  return fill(node, null, children);
}

// A labelled form control.
function labelled(text, control) {
  return el("label", {class: "control"}, el("span", null, text), control);
}

function select(choices, onchange) {
  return el(
      "select", {onchange: (event) => onchange(event.target.value)},
      choices.map(([value, text]) => el("option", {value}, text)));
}

// A box that scrolls sideways, by keyboard too.
function scrollBox(label, content) {
  return el("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": label}, content);
}
