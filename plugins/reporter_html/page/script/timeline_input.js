// Pointer, wheel and keys of the timeline.

const PAN_SHARE = 0.15;
const ZOOM_KEY = 0.6;
const DRAG_PIXELS = 4;

const KEYS_TEXT =
    "Arrows move, + and − zoom, 0 shows all, N and P select the next and previous slice, " +
    "Enter zooms to it, Escape lets go. Click the timeline, then turn the wheel to zoom; drag to move.";

function timelineKeys(timeline) {
  return {
    ArrowLeft: () => timeline.pan(-PAN_SHARE),
    ArrowRight: () => timeline.pan(PAN_SHARE),
    ArrowUp: () => timeline.scrollBy(-3 * ROW_HEIGHT),
    ArrowDown: () => timeline.scrollBy(3 * ROW_HEIGHT),
    "+": () => timeline.zoom(ZOOM_KEY),
    "=": () => timeline.zoom(ZOOM_KEY),
    "-": () => timeline.zoom(1 / ZOOM_KEY),
    0: () => timeline.fit(),
    Home: () => timeline.fit(),
    n: () => timeline.selectNext(1),
    p: () => timeline.selectNext(-1),
    Enter: () => timeline.zoomToSelected(),
    Escape: () => timeline.select(null),
  };
}

function listenToKeys(box, timeline) {
  const keys = timelineKeys(timeline);
  box.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const act = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
}

// The page scrolls by wheel too: the timeline takes it only where it has been chosen.
function listenToWheel(box, timeline) {
  box.addEventListener("wheel", (event) => {
    if (document.activeElement !== box && !event.ctrlKey) return;
    event.preventDefault();
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      timeline.pan((event.deltaX || event.deltaY) / 1000);
    } else {
      timeline.zoom(
          Math.exp(Math.max(-200, Math.min(200, event.deltaY)) / 400),
          timeline.shareAt(event.clientX));
    }
  }, {passive: false});
}

function listenToPointer(box, timeline) {
  let drag = null;
  box.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    drag = {x: event.clientX, y: event.clientY, moved: false};
    box.setPointerCapture(event.pointerId);
  });
  box.addEventListener("pointermove", (event) => {
    if (!drag) return timeline.point(event.clientX, event.clientY);
    const dx = event.clientX - drag.x;
    const dy = event.clientY - drag.y;
    if (!drag.moved && Math.hypot(dx, dy) < DRAG_PIXELS) return undefined;
    timeline.pan(-dx / timeline.plotWidth());
    timeline.scrollBy(-dy);
    drag = {x: event.clientX, y: event.clientY, moved: true};
    return undefined;
  });
  box.addEventListener("pointerup", (event) => {
    if (drag && !drag.moved) timeline.select(timeline.sliceAt(event.clientX, event.clientY));
    drag = null;
  });
  box.addEventListener("pointercancel", () => {
    drag = null;
  });
  box.addEventListener("pointerleave", () => timeline.point(null));
}
