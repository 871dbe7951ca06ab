// What there is to say of a slice of the timeline, as pairs of name and value.

function copyRate(profile, i) {
  const {spans, labels} = profile;
  // The host's time of a copy that it does not wait for tells nothing of its speed.
  const waited = (spans.flags[i] & FLAG_WAITED) !== 0;
  const ns = spans.device[i] || (waited ? spans.length[i] : 0);
  return ns > 0 ? `${formatGiga(perSecond(labels[spans.label[i]].bytes, ns))} GB/s` : "";
}

function spanFlags(flags) {
  return [
    [FLAG_TRUNCATED, "still open at the end"], [FLAG_WAITED, "the host waited"],
    [FLAG_FAILED, "left by an error"]
  ].filter(([flag]) => flags & flag)
      .map(([, text]) => text)
      .join(", ");
}

function spanFacts(profile, i) {
  const {spans, labels} = profile;
  const label = labels[spans.label[i]];
  const isCopy = label.kind === "copy";
  return [
    ["Kind", kindStyle(label.kind).text],
    ["Instance", label.instance],
    ["Place", label.place],
    ["Kernel", label.kernel],
    ["Detail", label.detail],
    ["Begin", formatMoment(spans.begin[i])],
    ["Length", formatNs(spans.length[i])],
    ["Self", formatNs(spans.length[i] - spans.covered[i])],
    ["Device", spans.device[i] > 0 && formatNs(spans.device[i])],
    ["From", isCopy && `${label.source} to ${label.target}`],
    ["Reason", label.reason],
    ["Made by", label.producer],
    ["Needed by", label.consumer],
    ["Bytes", label.bytes > 0 && formatBytes(label.bytes)],
    ["FLOP", label.flops > 0 && formatCount(label.flops)],
    ["Rate", isCopy && copyRate(profile, i)],
    ["Note", spanFlags(spans.flags[i])],
  ];
}

function geometryFacts([gx, gy, gz, bx, by, bz, registers, shared, occupancy]) {
  return [
    ["Grid", bx > 0 && `${gx} × ${gy} × ${gz}`],
    ["Block", bx > 0 && `${bx} × ${by} × ${bz}`],
    ["Registers", registers > 0 && formatCount(registers)],
    ["Shared memory", shared > 0 && formatBytes(shared)],
    ["Occupancy", occupancy > 0 && formatShare(occupancy, 1)],
  ];
}

function workFacts(profile, i) {
  const {work, spans, labels} = profile;
  const launcher = work.span[i] >= 0 ? labels[spans.label[work.span[i]]] : null;
  const geometry = work.geometry[i] >= 0 ? geometryFacts(work.geometries[work.geometry[i]]) : [];
  return [
    ["Kind", `${kindStyle(WORK_KINDS[work.kind[i]]).text} on a device`],
    [
      "Launched by",
      launcher ? [labelTitle(launcher), launcher.instance].filter(Boolean).join(" ") :
                 "no recorded span"
    ],
    ["Begin", formatMoment(work.begin[i])],
    ["Length", formatNs(work.length[i])],
    ["Bytes", work.bytes[i] > 0 && formatBytes(work.bytes[i])],
    ["Rate", work.bytes[i] > 0 && `${formatGiga(perSecond(work.bytes[i], work.length[i]))} GB/s`],
    ...geometry,
  ];
}

function gapFacts(profile, i) {
  const {gaps, spans, labels} = profile;
  const during = gaps.span[i] >= 0 ? labelTitle(labels[spans.label[gaps.span[i]]]) : "";
  return [
    ["Kind", "Idle device"], ["Begin", formatMoment(gaps.begin[i])],
    ["Length", formatNs(gaps.length[i])], ["During", during]
  ];
}

// [name, text] of a slice, without what is not known.
function sliceFacts(profile, {row, item}) {
  const {source} = row;
  const lines = source.geometries ?
      workFacts(profile, item) :
      source.cause ?
      gapFacts(profile, item) :
      source.label ?
      spanFacts(profile, item) :
      [["Begin", formatMoment(source.begin[item])], ["Length", formatNs(source.length[item])]];
  return lines.filter(([, text]) => text);
}

// The number after that of the last span within a span: those within follow it.
function endOfSpan({count, thread, depth}, item) {
  let end = item + 1;
  while (end < count && thread[end] === thread[item] && depth[end] > depth[item]) ++end;
  return end;
}

// Where the device work stands that a host span launched, or what is within it.
function launchedBy(profile, tracks, {row, item}) {
  if (!row.source.label) return [];
  const end = endOfSpan(profile.spans, item);
  const {span} = profile.work;
  const rows = tracks.flatMap((track) => track.rows).filter((one) => one.source.geometries);
  return rows.flatMap(
      (one) => Array.from(one.items.filter((i) => span[i] >= item && span[i] < end))
                   .map((i) => ({row: one, item: i})));
}
