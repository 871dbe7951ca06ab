// Columns as packed_column.cc writes them: LEB128 numbers in base64.

function decodeBytes(text) {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; ++i) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

// Numbers up to 2^53, hence no bit operations on sums.
function decodeColumn(text, count, Kind = Float64Array) {
  const bytes = decodeBytes(text);
  const column = new Kind(count);
  let at = 0;
  for (let i = 0; i < count; ++i) {
    let number = 0;
    let scale = 1;
    for (;;) {
      const byte = bytes[at++];
      number += (byte & 0x7f) * scale;
      if (byte < 0x80) break;
      scale *= 128;
    }
    column[i] = number;
  }
  return column;
}

function decodeDifferences(text, count, Kind = Float64Array) {
  const column = decodeColumn(text, count);
  const result = new Kind(count);
  let sum = 0;
  for (let i = 0; i < count; ++i) {
    const zigzag = column[i];
    sum += zigzag % 2 === 0 ? zigzag / 2 : -(zigzag + 1) / 2;
    result[i] = sum;
  }
  return result;
}
