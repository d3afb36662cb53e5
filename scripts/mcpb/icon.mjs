// Draws the icon, two discs that overlap, and writes it as a PNG (https://www.w3.org/TR/png-3/).
import { crc32, deflateSync } from "node:zlib";

const size = 512;
const discs = [
  { x: 200, y: 256, radius: 144, colour: [37, 99, 235] },
  { x: 312, y: 256, radius: 144, colour: [245, 158, 11] },
];

/** The file's bytes. */
export function icon() {
  const rows = Array.from({ length: size }, (_, y) =>
    Buffer.from([0, ...Array.from({ length: size }, (_, x) => pixel(x, y)).flat()]),
  );
  const head = Buffer.alloc(13);
  head.writeUInt32BE(size, 0);
  head.writeUInt32BE(size, 4);
  // Eight bits a channel, red, green, blue and alpha.
  head.set([8, 6, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([
    signature,
    chunk("IHDR", head),
    chunk("IDAT", deflateSync(Buffer.concat(rows))),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

/** Both colours, weighed by how much of the pixel each disc covers. */
function pixel(x, y) {
  const shares = discs.map((disc) =>
    Math.min(1, Math.max(0, disc.radius + 0.5 - Math.hypot(x + 0.5 - disc.x, y + 0.5 - disc.y))),
  );
  const sum = shares[0] + shares[1];
  if (sum === 0) return [0, 0, 0, 0];
  const colour = [0, 1, 2].map((channel) =>
    Math.round((discs[0].colour[channel] * shares[0] + discs[1].colour[channel] * shares[1]) / sum),
  );
  return [...colour, Math.round(255 * Math.max(...shares))];
}

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}
