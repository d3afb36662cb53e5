/** Is true for a text in base64, also in its form for URLs and with line breaks. */
export function isBase64(text: string): boolean {
  // A text may have millions of characters: it is copied only where it has to be.
  const written = /\s/.test(text) ? text.replace(/\s+/g, "") : text;
  const padding = written.endsWith("==") ? 2 : Number(written.endsWith("="));
  return (written.length - padding) % 4 !== 1 && /^[\w+/-]+={0,2}$/.test(written);
}

/** Returns the bytes of a text in base64, or undefined where it is none. */
export function decodeBase64(text: string): Buffer | undefined {
  return isBase64(text) ? Buffer.from(text, "base64") : undefined;
}

export interface DataUrl {
  /** Is in lower case and without parameters, and undefined when the address names none. */
  mediaType: string | undefined;
  bytes: Buffer;
}

/** Returns what a `data:` address in base64 carries, or undefined for any other text. */
export function readDataUrl(text: string): DataUrl | undefined {
  const parts = splitDataUrl(text);
  const bytes = parts && decodeBase64(parts.encoded);
  return bytes && { mediaType: parts.mediaType, bytes };
}

/** Is true for a `data:` address in base64. */
export function isDataUrl(text: string): boolean {
  const parts = splitDataUrl(text);
  return parts !== undefined && isBase64(parts.encoded);
}

function splitDataUrl(text: string): { mediaType: string | undefined; encoded: string } | undefined {
  const [head, type = ""] = /^data:([^,;]{0,100})(?:;[^,;]{0,200}){0,10};base64,/i.exec(text.slice(0, 4000)) ?? [];
  if (head === undefined) return undefined;
  return { mediaType: type.trim().toLowerCase() || undefined, encoded: text.slice(head.length) };
}
