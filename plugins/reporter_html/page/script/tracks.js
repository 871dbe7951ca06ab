// The rows of the timeline, from top to bottom. A row holds slices that do not overlap, by time:
// `items` are their numbers in the columns of its source.

const ROW_HEIGHT = 18;
const TRACK_GAP = 8;
const MIN_ROW_HEIGHT = 4;
const MAX_HEIGHT = 12000;

// How to read the slices of each kind of event.
function sliceSources(profile) {
  const {spans, work, gaps, steps, labels} = profile;
  const labelOf = (i) => labels[spans.label[i]];
  return {
    steps: {...steps, style: () => kindStyle("step"), title: (i) => `step ${steps.number[i]}`},
    spans: {
      ...spans,
      style: (i) => kindStyle(labelOf(i).kind),
      title: (i) => [labelTitle(labelOf(i)), labelOf(i).instance].filter(Boolean).join(" ")
    },
    work: {
      ...work,
      style: (i) => kindStyle(WORK_KINDS[work.kind[i]]),
      title: (i) => work.names[work.name[i]]
    },
    gaps: {
      ...gaps,
      style: () => kindStyle("idle"),
      title: (i) => GAP_CAUSES[gaps.cause[i]] || "Idle"
    },
  };
}

// Numbers of the items for which keyOf gives the same key, in order; -1 leaves one out.
function itemsByKey(count, keyOf) {
  const lists = new Map();
  for (let i = 0; i < count; ++i) {
    const key = keyOf(i);
    if (key < 0) continue;
    const list = lists.get(key);
    if (list)
      list.push(i);
    else
      lists.set(key, [i]);
  }
  return lists;
}

function makeRows(source, lists) {
  return [...lists.keys()]
      .sort((a, b) => a - b)
      .map((key) => ({source, items: Int32Array.from(lists.get(key))}));
}

function threadTracks(profile, source) {
  const {spans, threads} = profile;
  const DEPTHS = 1 << 16;
  const lists = itemsByKey(spans.count, (i) => spans.thread[i] * DEPTHS + spans.depth[i]);
  return threads.map((thread, number) => {
    const own = new Map([...lists].filter(([key]) => Math.floor(key / DEPTHS) === number));
    return {title: thread.name || `thread ${number}`, rows: makeRows(source, own)};
  });
}

function laneTitle(device, {stream, lane}) {
  return `${device.place} stream ${stream}${lane > 0 ? ` (${lane + 1})` : ""}`;
}

function deviceTracks(profile, sources) {
  const {work, gaps, devices} = profile;
  const lists = itemsByKey(work.count, (i) => work.track[i]);
  const idle = itemsByKey(gaps.count, (i) => gaps.device[i]);
  const tracks = [];
  devices.forEach((device, number) => {
    work.tracks.forEach((lane, i) => {
      if (lane.device !== number || !lists.has(i)) return;
      tracks.push({
        title: laneTitle(device, lane),
        rows: makeRows(sources.work, new Map([[i, lists.get(i)]]))
      });
    });
    if (!idle.has(number)) return;
    tracks.push({
      title: `${device.place} idle`,
      rows: makeRows(sources.gaps, new Map([[number, idle.get(number)]]))
    });
  });
  return tracks;
}

// Sets y and height of tracks and rows; gives the height of all.
function placeTracks(tracks) {
  const count = tracks.reduce((sum, track) => sum + track.rows.length, 0);
  const height =
      Math.max(MIN_ROW_HEIGHT, Math.min(ROW_HEIGHT, Math.floor(MAX_HEIGHT / Math.max(1, count))));
  let y = 0;
  for (const track of tracks) {
    track.y = y;
    for (const row of track.rows) {
      Object.assign(row, {y, height, track});
      y += height;
    }
    track.height = y - track.y;
    y += TRACK_GAP;
  }
  return y;
}

function makeTracks(profile) {
  const sources = sliceSources(profile);
  const steps = {
    title: "steps",
    rows: makeRows(sources.steps, itemsByKey(profile.steps.count, () => 0))
  };
  return [steps, ...threadTracks(profile, sources.spans), ...deviceTracks(profile, sources)].filter(
      (track) => track.rows.length > 0);
}

// Position in row.items of the first slice that ends after that time.
function firstEndingAfter(row, time) {
  const {begin, length} = row.source;
  let low = 0;
  let high = row.items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const item = row.items[middle];
    if (begin[item] + length[item] > time)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}
