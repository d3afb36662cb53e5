/** Is the tag of the orientation in TIFF, on which EXIF is built. */
const orientationTag = 0x0112;
/** Limits the entries that are read. Cameras write fewer than a hundred. */
const mostEntries = 1000;

/**
 * Returns how a viewer turns the image, from 1 (as it is) to 8, out of the TIFF structure that EXIF consists of. Only the first
 * directory is read, so that no reference inside the data can lead in a circle.
 */
export function readOrientation(tiff: Buffer): number {
  const order = tiff.toString("latin1", 0, 4);
  const isLittle = order === "II*\0";
  if ((!isLittle && order !== "MM\0*") || tiff.length < 8) return 1;
  const readShort = (at: number): number => (isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  const start = isLittle ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4);
  if (start + 2 > tiff.length) return 1;
  const entries = Math.min(readShort(start), mostEntries);
  for (let entry = 0; entry < entries; entry++) {
    const at = start + 2 + 12 * entry;
    if (at + 12 > tiff.length) return 1;
    if (readShort(at) !== orientationTag) continue;
    const value = readShort(at + 8);
    return value >= 1 && value <= 8 ? value : 1;
  }
  return 1;
}

/** Returns the TIFF structure that holds an orientation and nothing else. */
export function writeOrientation(orientation: number): Buffer {
  const tiff = Buffer.alloc(26);
  tiff.write("MM\0*", 0, "latin1");
  tiff.writeUInt32BE(8, 4);
  tiff.writeUInt16BE(1, 8);
  tiff.writeUInt16BE(orientationTag, 10);
  // A short, one of them.
  tiff.writeUInt16BE(3, 12);
  tiff.writeUInt32BE(1, 14);
  tiff.writeUInt16BE(orientation, 18);
  return tiff;
}

/** Returns the size as a viewer shows it: from 5 on, the orientations lay the image on its side. */
export function turnSize(size: { width: number; height: number }, orientation: number) {
  return orientation >= 5 ? { width: size.height, height: size.width } : { width: size.width, height: size.height };
}
