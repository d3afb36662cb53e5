/** Represents a part of a ZIP file as its directory describes it. */
export interface ZipEntry {
  name: string;
  /** Counts the bytes after unpacking. The libraries that unpack allow no part to take more than it states. */
  size: number;
}

const directoryEnd = 0x06054b50;
const directoryEntry = 0x02014b50;
/** Is the length of the end record, which a comment of at most 65,535 bytes may follow. */
const endLength = 22;

/** Reads the directory of a ZIP file without unpacking anything. Returns undefined where there is none that can be read. */
export function listZipEntries(bytes: Uint8Array, most: number): ZipEntry[] | "too-many" | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = findEnd(view);
  if (end === undefined) return undefined;
  const count = view.getUint16(end + 10, true);
  if (count > most) return "too-many";
  const entries: ZipEntry[] = [];
  let place = view.getUint32(end + 16, true);
  for (let index = 0; index < count; index++) {
    if (place + 46 > end || view.getUint32(place, true) !== directoryEntry) return undefined;
    const nameLength = view.getUint16(place + 28, true);
    const name = Buffer.from(bytes.subarray(place + 46, place + 46 + nameLength)).toString("utf8");
    entries.push({ name, size: view.getUint32(place + 24, true) });
    place += 46 + nameLength + view.getUint16(place + 30, true) + view.getUint16(place + 32, true);
  }
  return entries;
}

function findEnd(view: DataView): number | undefined {
  const last = view.byteLength - endLength;
  for (let place = last; place >= 0 && place >= last - 65_535; place--)
    if (view.getUint32(place, true) === directoryEnd) return place;
  return undefined;
}
