// Draws the rows of the timeline.

const RULER_HEIGHT = 22;
const FONT = "11px system-ui, sans-serif";
const CHARACTER = 6.1;  // about as wide as one is in that font
const MAX_ARROWS = 50;

function makeHatches(context) {
  const make = (draw, size) => {
    const tile = el("canvas", {width: size, height: size});
    const pen = tile.getContext("2d");
    pen.strokeStyle = "rgba(0, 0, 0, 0.55)";
    pen.lineWidth = 1.2;
    pen.beginPath();
    draw(pen, size);
    pen.stroke();
    return context.createPattern(tile, "repeat");
  };
  const line = (pen, x0, y0, x1, y1) => {
    pen.moveTo(x0, y0);
    pen.lineTo(x1, y1);
  };
  return {
    rising: make(
        (pen, s) => {
          line(pen, -1, s + 1, s + 1, -1);
          line(pen, -1, 1, 1, -1);
          line(pen, s - 1, s + 1, s + 1, s - 1);
        },
        6),
    falling: make(
        (pen, s) => {
          line(pen, -1, -1, s + 1, s + 1);
          line(pen, s - 1, -1, s + 1, 1);
          line(pen, -1, s - 1, 1, s + 1);
        },
        6),
    sparse: make(
        (pen, s) => {
          line(pen, -1, s + 1, s + 1, -1);
        },
        10),
  };
}

class Painter {
  constructor(canvas) {
    this.canvas = canvas;
    this.pen = canvas.getContext("2d");
    this.hatches = makeHatches(this.pen);
  }

  // Sizes in CSS pixels.
  resize(width, height) {
    const ratio = window.devicePixelRatio || 1;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.canvas.style.height = `${height}px`;
    this.pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    Object.assign(this, {width, height});
  }

  get gutter() {
    return this.width < 560 ? 104 : 150;
  }

  x(time) {
    const {begin, length} = this.view;
    return this.gutter + (time - begin) / length * (this.width - this.gutter);
  }

  // Draws all; gives how many slices were drawn by themselves.
  draw({tracks, view, scroll, selected, found, light}) {
    this.view = view;
    this.scroll = scroll;
    this.found = found;
    this.colors = pageColors(light);
    const {pen} = this;
    pen.font = FONT;
    pen.textBaseline = "middle";
    pen.fillStyle = this.colors.ground;
    pen.fillRect(0, 0, this.width, this.height);
    let count = 0;
    const isVisible = ({y, height}) => this.y(y + height) > RULER_HEIGHT && this.y(y) < this.height;
    this.clip(this.gutter, RULER_HEIGHT, () => {
      tracks.filter(isVisible).forEach((track, i) => {
        if (i % 2 === 0) this.drawBand(track);
        for (const row of track.rows)
          if (isVisible(row)) count += this.drawRow(row);
      });
      if (selected) this.drawSelection(selected);
    });
    this.clip(
        0, RULER_HEIGHT, () => tracks.filter(isVisible).forEach((track) => this.drawTitle(track)));
    this.drawRuler();
    return count;
  }

  y(y) {
    return RULER_HEIGHT + y - this.scroll;
  }

  clip(x, y, draw) {
    this.pen.save();
    this.pen.beginPath();
    this.pen.rect(x, y, this.width - x, this.height - y);
    this.pen.clip();
    draw();
    this.pen.restore();
  }

  drawBand({y, height}) {
    this.pen.fillStyle = this.colors.band;
    this.pen.fillRect(0, this.y(y) - TRACK_GAP / 2, this.width, height + TRACK_GAP);
  }

  drawTitle({title, y, height}) {
    const {pen} = this;
    pen.fillStyle = this.colors.ground;
    pen.fillRect(0, this.y(y) - TRACK_GAP / 2, this.gutter, height + TRACK_GAP);
    pen.fillStyle = this.colors.ink;
    const most = Math.floor((this.gutter - 12) / CHARACTER);
    pen.fillText(
        title.length > most ? `${title.slice(0, most - 1)}…` : title, 6,
        this.y(y) + Math.min(height, ROW_HEIGHT) / 2 + 1);
    pen.strokeStyle = this.colors.line;
    pen.beginPath();
    pen.moveTo(0, this.y(y + height) + TRACK_GAP / 2);
    pen.lineTo(this.width, this.y(y + height) + TRACK_GAP / 2);
    pen.stroke();
  }

  // Slices of less than a pixel join the pixel's first one.
  drawRow(row) {
    const {begin, length, style, title} = row.source;
    const {items} = row;
    let count = 0;
    let drawnTo = -1;
    for (let at = firstEndingAfter(row, this.view.begin); at < items.length; ++at) {
      const item = items[at];
      if (begin[item] >= this.view.end) break;
      const x1 = this.x(begin[item] + length[item]);
      if (x1 < drawnTo) continue;
      const x0 = Math.max(this.x(begin[item]), this.gutter - 2);
      const width = Math.max(Math.min(x1, this.width + 2) - x0, 1);
      this.drawSlice(
          row, x0, width, style(item), width > 24 ? title(item) : "", this.isFound(row, item));
      drawnTo = x0 + 1;
      ++count;
    }
    return count;
  }

  isFound(row, item) {
    return !this.found ||
        (row.source.label !== undefined && this.found.has(row.source.label[item]));
  }

  drawSlice(row, x, width, style, title, isFound) {
    const {pen} = this;
    const y = this.y(row.y);
    const height = row.height - 1;
    pen.globalAlpha = isFound ? 1 : 0.25;
    pen.fillStyle = style.color;
    pen.fillRect(x, y, width, height);
    if (style.hatch && width > 2) {
      pen.fillStyle = this.hatches[style.hatch];
      pen.fillRect(x, y, width, height);
    }
    if (width > 3) {
      pen.fillStyle = "rgba(0, 0, 0, 0.35)";
      pen.fillRect(x, y, 1, height);
    }
    if (title && height >= 12) this.drawName(title, style, x, y, width, height);
    pen.globalAlpha = 1;
  }

  drawName(title, style, x, y, width, height) {
    const {pen} = this;
    const most = Math.floor((width - 6) / CHARACTER);
    if (most < 2) return;
    const text = title.length > most ? `${title.slice(0, most - 1)}…` : title;
    if (style.hatch) {  // a plain ground under the letters
      pen.fillStyle = style.color;
      pen.fillRect(x + 2, y, Math.min(pen.measureText(text).width + 4, width - 2), height);
    }
    pen.fillStyle = inkOn(style.color);
    pen.fillText(text, x + 4, y + height / 2 + 1, width - 5);
  }

  drawSelection({row, item, launched}) {
    const {begin, length} = row.source;
    const outline = (of, i) => {
      const x = this.x(of.source.begin[i]);
      const width = Math.max(this.x(of.source.begin[i] + of.source.length[i]) - x, 2);
      this.pen.strokeRect(x, this.y(of.y), width, of.height - 1);
    };
    this.pen.strokeStyle = this.colors.ink;
    this.pen.lineWidth = 2;
    outline(row, item);
    this.pen.lineWidth = 1;
    for (const one of launched.slice(0, MAX_ARROWS)) {
      outline(one.row, one.item);
      this.drawArrow(
          this.x(begin[item] + length[item] / 2), this.y(row.y + row.height),
          this.x(one.row.source.begin[one.item]), this.y(one.row.y));
    }
  }

  drawArrow(x0, y0, x1, y1) {
    const {pen} = this;
    pen.beginPath();
    pen.moveTo(x0, y0);
    pen.bezierCurveTo(x0, (y0 + y1) / 2, x1, (y0 + y1) / 2, x1, y1);
    pen.moveTo(x1 - 4, y1 - 6);
    pen.lineTo(x1, y1);
    pen.lineTo(x1 + 4, y1 - 6);
    pen.stroke();
  }

  drawRuler() {
    const {pen} = this;
    const ticks = linearTicks(this.view.begin, this.view.end, (this.width - this.gutter) / 110);
    const step = ticks.length > 1 ? ticks[1] - ticks[0] : this.view.length;
    pen.fillStyle = this.colors.ground;
    pen.fillRect(0, 0, this.width, RULER_HEIGHT);
    pen.strokeStyle = this.colors.line;
    pen.fillStyle = this.colors.muted;
    pen.beginPath();
    for (const tick of ticks) {
      const x = Math.round(this.x(tick)) + 0.5;
      if (x < this.gutter) continue;
      pen.moveTo(x, RULER_HEIGHT - 6);
      pen.lineTo(x, RULER_HEIGHT);
      if (x < this.width - 40)
        pen.fillText(formatMoment(tick, step, this.view.end), x + 3, RULER_HEIGHT / 2);
    }
    pen.moveTo(0, RULER_HEIGHT - 0.5);
    pen.lineTo(this.width, RULER_HEIGHT - 0.5);
    pen.stroke();
  }
}
