// A message whose parts are stored in separate files, put together as the server would have sent it.

const EIGHT = 8;
const padLength = (length) => length + (EIGHT - length % EIGHT) % EIGHT;

/** The message (see `pack` in mount.py) with parts, [[digest, bytes], ...], inserted. */
export function whole(message, parts) {
  const length = new DataView(message.buffer, message.byteOffset).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(message.subarray(4, 4 + length))), body = message.subarray(4 + length);
  const pieces = [body];
  let size = body.length;
  for (const [digest, bytes] of parts) {
    header.fresh[digest] = { $: ["u1", size, bytes.length] };
    pieces.push(bytes);
    size = padLength(size + bytes.length);
  }
  const text = new TextEncoder().encode(JSON.stringify(header)), start = padLength(4 + text.length), out = new Uint8Array(start + size).fill(32, 0, start);
  new DataView(out.buffer).setUint32(0, start - 4, true);
  out.set(text, 4);
  let at = start;
  for (const piece of pieces) {
    out.set(piece, at);
    at = start + padLength(at - start + piece.length);
  }
  return out;
}
