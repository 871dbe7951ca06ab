// The events of the profile, column by column; event_data.cc writes them. An index that is -1 is
// none.

const FLAG_VALUES = 8;
const FLAG_TRUNCATED = 1;
const FLAG_WAITED = 2;
const FLAG_FAILED = 4;
const WORK_KINDS = ["kernel", "copy", "fill"];
const GAP_CAUSES = ["The host was late", "Waits for a copy", "Waits for work elsewhere"];

function loadSteps(data) {
  return {
    count: data.count,
    begin: decodeDifferences(data.begin, data.count),
    length: decodeColumn(data.length, data.count),
    number: decodeColumn(data.number, data.count),
  };
}

function loadSpans(data) {
  const n = data.count;
  const nesting = decodeColumn(data.nesting, n);
  const spans = {
    count: n,
    thread: decodeDifferences(data.thread, n, Int32Array),
    begin: decodeDifferences(data.begin, n),
    length: decodeColumn(data.length, n),
    label: decodeColumn(data.label, n, Int32Array),
    covered: decodeColumn(data.covered, n),
    device: decodeColumn(data.device, n),
    depth: Int32Array.from(nesting, (value) => Math.floor(value / FLAG_VALUES)),
    flags: Uint8Array.from(nesting, (value) => value % FLAG_VALUES),
  };
  return spans;
}

function minusOne(column) {
  return Int32Array.from(column, (value) => value - 1);
}

function loadWork(data) {
  const n = data.count;
  return {
    count: n,
    tracks: data.tracks.map(([device, stream, lane]) => ({device, stream, lane})),
    names: data.names,
    geometries: data.geometries,
    track: decodeDifferences(data.track, n, Int32Array),
    begin: decodeDifferences(data.begin, n),
    length: decodeColumn(data.length, n),
    name: decodeColumn(data.name, n, Int32Array),
    kind: decodeColumn(data.kind, n, Int32Array),
    span: minusOne(decodeDifferences(data.span, n)),
    bytes: decodeColumn(data.bytes, n),
    geometry: minusOne(decodeColumn(data.geometry, n)),
  };
}

function loadMemory(data) {
  const n = data.count;
  return {
    count: n,
    at: decodeDifferences(data.at, n),
    tensor: decodeColumn(data.tensor, n, Int32Array),
    inUse: decodeColumn(data.in_use, n),
  };
}

function loadGaps(data) {
  const n = data.count;
  return {
    count: n,
    device: decodeColumn(data.device, n, Int32Array),
    begin: decodeDifferences(data.begin, n),
    length: decodeColumn(data.length, n),
    cause: decodeColumn(data.cause, n, Int32Array),
    span: minusOne(decodeColumn(data.span, n)),
  };
}
