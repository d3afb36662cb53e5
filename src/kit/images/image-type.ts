/** Lists the types of images that every vendor's models can be sent, in the order in which they are named to people. */
export const imageTypes = ["image/png", "image/jpeg", "image/gif", "image/webp"] as const;

export type ImageType = (typeof imageTypes)[number];

export function isImageType(type: string): type is ImageType {
  return imageTypes.some((known) => known === type);
}

/** Describes how a format begins: texts in Latin-1 at their positions in the file. */
interface Signature {
  type: string;
  parts: readonly (readonly [at: number, text: string])[];
}

const signatures: readonly Signature[] = [
  { type: "image/png", parts: [[0, "\x89PNG\r\n\x1a\n"]] },
  { type: "image/jpeg", parts: [[0, "\xff\xd8\xff"]] },
  { type: "image/gif", parts: [[0, "GIF87a"]] },
  { type: "image/gif", parts: [[0, "GIF89a"]] },
  {
    type: "image/webp",
    parts: [
      [0, "RIFF"],
      [8, "WEBP"],
    ],
  },
  { type: "image/heic", parts: [[4, "ftyphei"]] },
  { type: "image/heic", parts: [[4, "ftyphev"]] },
  { type: "image/heic", parts: [[4, "ftypmif1"]] },
  { type: "image/avif", parts: [[4, "ftypavi"]] },
  { type: "image/tiff", parts: [[0, "II*\0"]] },
  { type: "image/tiff", parts: [[0, "MM\0*"]] },
  { type: "image/x-icon", parts: [[0, "\0\0\x01\0"]] },
  {
    type: "image/bmp",
    parts: [
      [0, "BM"],
      [6, "\0\0\0\0"],
    ],
  },
  { type: "application/pdf", parts: [[0, "%PDF-"]] },
  { type: "application/zip", parts: [[0, "PK\x03\x04"]] },
];

/** Returns the type that the first bytes show, whatever the sender called it, and undefined for one that shows none. */
export function detectMediaType(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, 16)).toString("latin1");
  return signatures.find(({ parts }) => parts.every(([at, text]) => head.startsWith(text, at)))?.type;
}

/**
 * Returns true for a file that ends within its signature, as one that was cut short. The beginnings that a text may have, too, do not
 * count: `BM` or `PK`.
 */
export function isCutSignature(bytes: Uint8Array): boolean {
  if (bytes.length === 0 || bytes.length > 16) return false;
  const whole = Buffer.from(bytes).toString("latin1");
  if (/^[\t\n\r\x20-\x7e]*$/.test(whole)) return false;
  return signatures.some(({ parts }) => parts.some(([at, text]) => at === 0 && text.startsWith(whole)));
}
