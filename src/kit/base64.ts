/** Returns the bytes of a text in base64, also in its form for URLs and with line breaks, or undefined where it is none. */
export function decodeBase64(text: string): Buffer | undefined {
  const written = text.replace(/\s+/g, "");
  if (written === "" || written.replace(/=+$/, "").length % 4 === 1) return undefined;
  return /^[\w+/-]+={0,2}$/.test(written) ? Buffer.from(written, "base64") : undefined;
}

export interface DataUrl {
  /** Is in lower case and without parameters, and undefined when the address names none. */
  mediaType: string | undefined;
  bytes: Buffer;
}

/** Returns what a `data:` address in base64 carries, or undefined for any other text. */
export function readDataUrl(text: string): DataUrl | undefined {
  const [head, type = ""] = /^data:([^,;]{0,100})(?:;[^,;]{0,200}){0,10};base64,/i.exec(text.slice(0, 4000)) ?? [];
  const bytes = head === undefined ? undefined : decodeBase64(text.slice(head.length));
  return bytes && { mediaType: type.trim().toLowerCase() || undefined, bytes };
}
