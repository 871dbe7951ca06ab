// What happened when, on each thread and each stream of each device.

const HIT_PIXELS = 3;
const PAPER_WIDTH = 1050;
const PAPER_HEIGHT = 600;
const BOX_SHARE = 0.65;  // of the window's height, at the most

function timelineLegend(profile) {
  const kinds = new Set(profile.spans.count > 0 ? profile.labels.map((label) => label.kind) : []);
  for (const kind of profile.work.kind) kinds.add(WORK_KINDS[kind]);
  if (profile.gaps.count > 0) kinds.add("idle");
  return el(
      "ul", {class: "legend"},
      Object.entries(KIND_STYLES)
          .filter(([kind]) => kinds.has(kind))
          .map(
              ([, style]) =>
                  el("li", null, el("span", {
                       class: `swatch ${style.hatch || ""}`,
                       style: `background-color:${style.color}`
                     }),
                     style.text)));
}

class Timeline {
  constructor(profile) {
    this.profile = profile;
    this.tracks = makeTracks(profile);
    this.height = RULER_HEIGHT + placeTracks(this.tracks);
    this.view = new Viewport(profile.shown_until_ns);
    this.selected = null;
    this.found = null;
    this.scroll = 0;
    this.build();
    this.painter = new Painter(this.canvas);
    listenToKeys(this.box, this);
    listenToWheel(this.box, this);
    listenToPointer(this.box, this);
    new ResizeObserver(() => this.resize()).observe(this.box);
    const scheme = window.matchMedia("(prefers-color-scheme: dark)");
    scheme.addEventListener("change", () => this.draw());
    window.addEventListener("beforeprint", () => this.drawForPaper());
    window.addEventListener("afterprint", () => this.resize());
    this.resize();
  }

  build() {
    const button = (text, label, act) =>
        el("button", {type: "button", "aria-label": label, onclick: act}, text);
    const search = el("input", {
      type: "search",
      placeholder: "name or instance",
      oninput: (event) => this.find(event.target.value)
    });
    this.rangeText = el("span", {class: "status", role: "status"});
    this.canvas = el("canvas");
    this.box =
        el("div", {
          class: "timeline",
          tabindex: "0",
          role: "application",
          "aria-label": "Timeline. The tables show the same by numbers.",
          "aria-describedby": "timeline-keys"
        },
           this.canvas);
    this.tip = el("div", {class: "tip", hidden: true});
    this.details = el("div", {class: "details", "aria-live": "polite"});
    const isCut = this.profile.shown_until_ns < this.profile.session.wall_ns;
    add(section("timeline"),
        el("div", {class: "controls"}, labelled("Highlight", search),
           button("+", "Zoom in", () => this.zoom(ZOOM_KEY)),
           button("−", "Zoom out", () => this.zoom(1 / ZOOM_KEY)),
           button("◀", "Earlier", () => this.pan(-PAN_SHARE)),
           button("▶", "Later", () => this.pan(PAN_SHARE)),
           button("All", "Show all", () => this.fit()), this.rangeText),
        isCut &&
            el("p", {class: "warning"},
               `Only the first ${formatNs(this.profile.shown_until_ns)} are shown here: ` +
                   "there are more events than max_events. The tables are of the whole session."),
        el("p", {class: "muted hint", id: "timeline-keys"}, KEYS_TEXT), this.box, this.tip,
        timelineLegend(this.profile), this.details);
  }

  resize() {
    const height =
        Math.min(this.height + 2, Math.max(200, Math.round(window.innerHeight * BOX_SHARE)));
    const width = this.box.clientWidth;
    if (width === 0) return;
    this.painter.resize(width, height);
    this.draw();
  }

  // As wide as paper, whatever the window is; the canvas keeps these proportions.
  drawForPaper() {
    this.painter.resize(PAPER_WIDTH, Math.min(this.height + 2, PAPER_HEIGHT));
    this.canvas.style.height = "auto";
    this.draw(true);
  }

  draw(light = false) {
    this.scroll = Math.max(0, Math.min(this.scroll, this.height - this.painter.height));
    const {tracks, view, scroll, selected, found} = this;
    this.drawn = this.painter.draw({tracks, view, scroll, selected, found, light});
    this.rangeText.textContent = `${formatMoment(view.begin, view.length / 100, view.end)} to ${
                                     formatMoment(view.end, view.length / 100)}: ` +
        `${formatNs(view.length)} of ${formatNs(view.full.end)}`;
  }

  zoom(factor, share) {
    this.view.zoom(factor, share);
    this.draw();
  }

  pan(share) {
    this.view.pan(share);
    this.draw();
  }

  fit() {
    this.view.fit();
    this.draw();
  }

  scrollBy(pixels) {
    this.scroll += pixels;
    this.draw();
  }

  plotWidth() {
    return this.painter.width - this.painter.gutter;
  }

  shareAt(clientX) {
    const x = clientX - this.canvas.getBoundingClientRect().left - this.painter.gutter;
    return Math.min(1, Math.max(0, x / this.plotWidth()));
  }

  // {row, item} under a point, or null.
  sliceAt(clientX, clientY) {
    const box = this.canvas.getBoundingClientRect();
    const x = clientX - box.left;
    const y = clientY - box.top - RULER_HEIGHT + this.scroll;
    if (clientY - box.top < RULER_HEIGHT || x < this.painter.gutter) return null;
    const row = this.tracks.flatMap((track) => track.rows)
                    .find((one) => y >= one.y && y < one.y + one.height);
    if (!row) return null;
    const scale = this.view.length / this.plotWidth();
    const time = this.view.begin + (x - this.painter.gutter) * scale;
    const at = firstEndingAfter(row, time - HIT_PIXELS * scale);
    if (at === row.items.length) return null;
    // The one under the point, rather than one that ends just before it.
    const next =
        at + 1 < row.items.length && row.source.begin[row.items[at + 1]] <= time ? at + 1 : at;
    const item = row.items[next];
    return row.source.begin[item] - HIT_PIXELS * scale <= time ? {row, item} : null;
  }

  // Shows what is under the pointer beside it.
  point(clientX, clientY) {
    const slice = clientX === null ? null : this.sliceAt(clientX, clientY);
    this.tip.hidden = !slice;
    if (!slice) return;
    this.tip.replaceChildren(
        el("strong", null, slice.row.source.title(slice.item)),
        ...sliceFacts(this.profile, slice).map(([name,
                                                 text]) => el("div", null, `${name}: ${text}`)));
    const left = Math.min(clientX + 14, window.innerWidth - this.tip.offsetWidth - 8);
    const top = Math.min(clientY + 14, window.innerHeight - this.tip.offsetHeight - 8);
    this.tip.style.left = `${Math.max(4, left)}px`;
    this.tip.style.top = `${Math.max(4, top)}px`;
  }

  select(slice) {
    this.selected = slice && {...slice, launched: launchedBy(this.profile, this.tracks, slice)};
    this.details.replaceChildren();
    if (slice) {
      this.details.append(
          el("h3", null, slice.row.source.title(slice.item)),
          facts([...sliceFacts(this.profile, slice), ["Track", slice.row.track.title]]));
    }
    this.draw();
  }

  // The next slice of the same row, or the first one in sight.
  selectNext(by) {
    const row = this.selected ?
        this.selected.row :
        this.tracks.flatMap((track) => track.rows).find((one) => one.source.label) ||
            this.tracks[0]?.rows[0];
    if (!row) return;
    const at = this.selected ? row.items.indexOf(this.selected.item) + by :
                               firstEndingAfter(row, this.view.begin);
    if (at < 0 || at >= row.items.length) return;
    const item = row.items[at];
    const {begin, length} = row.source;
    if (begin[item] + length[item] > this.view.end || begin[item] < this.view.begin) {
      const middle = begin[item] + length[item] / 2;
      this.view.set(middle - this.view.length / 2, middle + this.view.length / 2);
    }
    this.select({row, item});
  }

  zoomToSelected() {
    if (!this.selected) return;
    const {row, item} = this.selected;
    const {begin, length} = row.source;
    this.view.set(begin[item] - length[item], begin[item] + 2 * length[item]);
    this.reveal(row);
    this.draw();
  }

  reveal(row) {
    const top = row.y - 2 * ROW_HEIGHT;
    const bottom = row.y + 3 * ROW_HEIGHT;
    if (top < this.scroll)
      this.scroll = top;
    else if (bottom > this.scroll + this.painter.height - RULER_HEIGHT) {
      this.scroll = bottom - this.painter.height + RULER_HEIGHT;
    }
  }

  // Dims all but host spans whose name or instance holds the text.
  find(text) {
    const wanted = text.trim().toLowerCase();
    this.found = wanted === "" ?
        null :
        new Set(this.profile.labels
                    .map((label, i) => [i, `${labelTitle(label)} ${label.instance}`.toLowerCase()])
                    .filter(([, name]) => name.includes(wanted))
                    .map(([i]) => i));
    this.draw();
  }

  // The longest span of that kind, name and instance.
  showLongest(label) {
    const {spans, labels} = this.profile;
    const isIt = labels.map(
        (one) => one.kind === label.kind && labelTitle(one) === labelTitle(label) &&
            one.instance === label.instance);
    let best = -1;
    for (let i = 0; i < spans.count; ++i) {
      if (isIt[spans.label[i]] && (best < 0 || spans.length[i] > spans.length[best])) best = i;
    }
    const row = best < 0 ? null :
                           this.tracks.flatMap((track) => track.rows)
                               .find((one) => one.source.label && one.items.includes(best));
    if (!row) return;
    this.select({row, item: best});
    this.zoomToSelected();
    section("timeline").scrollIntoView();
    this.box.focus({preventScroll: true});
  }
}
