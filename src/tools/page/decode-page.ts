import { isUtf8 } from "node:buffer";
import { isCutSignature } from "../../kit/images/image-type.ts";

/**
 * Decodes a page whose charset may be declared, wrongly declared or missing. A byte order mark comes first, then valid UTF-8,
 * then the charset of the server or the page if the bytes agree with it.
 */
export function decodePage(bytes: Uint8Array, charset: string | undefined): string {
  const marked = markOf(bytes);
  if (marked !== undefined) return decodeBytes(bytes, marked);
  const unmarked = detectWideCharset(bytes);
  if (unmarked !== undefined) return decodeBytes(bytes, unmarked);
  const named = [charset, findCharset(bytes)].flatMap((name) => findKnownCharset(name) ?? []);
  const wide = named.find((name) => /^utf-16|^iso-2022/.test(name));
  if (wide !== undefined && (wide.startsWith("iso") || bytes.includes(0))) return decodeBytes(bytes, wide);
  if (isUtf8(bytes)) return decodeBytes(bytes, "utf-8");
  const candidates = [...named.filter((name) => name !== "utf-8"), "utf-8", ...listGuesses(bytes)];
  const readings = candidates.map((name) => decodeBytes(bytes, name));
  return readings.find(isMostlySound) ?? readings.at(-1) ?? "";
}

/** Returns true when the bytes cannot be text in any supported charset. */
export function isBinary(bytes: Uint8Array): boolean {
  const start = bytes.subarray(0, 8192);
  if (isArchiveOrImage(start) || isCutSignature(bytes)) return true;
  // A few bytes of any kind have zeros where UTF-16 has them, and begin like a byte order mark.
  const text = decodeBytes(start, markOf(start) ?? detectWideCharset(start) ?? "latin1");
  const unreadable = text.match(/[\0-\x08\x0e-\x1a\x7f\ufffd]/g)?.length ?? 0;
  return unreadable > text.length * 0.02;
}

/** Checks the signatures of PNG, GIF, JPEG, WebP, ZIP, gzip, RAR and 7z files. */
function isArchiveOrImage(bytes: Uint8Array): boolean {
  const start = Buffer.from(bytes.subarray(0, 12)).toString("latin1");
  return /^(?:\x89PNG\r\n|GIF8[79]a|\xff\xd8\xff|RIFF[\s\S]{4}WEBP|PK\x03\x04|\x1f\x8b\x08|Rar!\x1a|7z\xbc\xaf)/.test(
    start,
  );
}

/** Detects UTF-16 without a byte order mark: its tags have a zero at every second byte and hardly any at the others. */
function detectWideCharset(bytes: Uint8Array): "utf-16le" | "utf-16be" | undefined {
  const start = bytes.subarray(0, 8192);
  const [even = 0, odd = 0] = [0, 1].map(
    (parity) => start.filter((byte, index) => byte === 0 && index % 2 === parity).length,
  );
  const few = start.length * 0.02;
  if (odd > start.length * 0.1 && even <= few) return "utf-16le";
  return even > start.length * 0.1 && odd <= few ? "utf-16be" : undefined;
}

function markOf(bytes: Uint8Array): string | undefined {
  const [first, second, third] = bytes;
  if (first === 0xef && second === 0xbb && third === 0xbf) return "utf-8";
  if (first === 0xff && second === 0xfe) return "utf-16le";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  return undefined;
}

/** Returns the charset that the page declares: `<meta charset>`, its `http-equiv` form, or the XML declaration. */
function findCharset(bytes: Uint8Array): string | undefined {
  const start = readHead(bytes);
  const declared =
    /<meta\b[^>]{0,300}?charset\s*=\s*["']?\s*([\w:.-]{2,40})/i.exec(start) ??
    /^\s*<\?xml\b[^>]{0,200}?encoding\s*=\s*["']([\w:.-]{2,40})/i.exec(start);
  return declared?.[1];
}

/** Returns the usual charsets of the language that the page declares, else those of Chinese pages. */
function listGuesses(bytes: Uint8Array): string[] {
  const language =
    /<html\b[^>]{0,300}?\blang\s*=\s*["']?([\w-]{2,20})/i.exec(readHead(bytes))?.[1]?.toLowerCase() ?? "";
  if (language.startsWith("ja")) return ["shift_jis", "euc-jp"];
  if (language.startsWith("ko")) return ["euc-kr"];
  if (/^zh-(?:tw|hk|mo|hant)/.test(language)) return ["big5", "gb18030"];
  const own = singleByte[language.slice(0, 2)];
  if (own !== undefined) return [detectCyrillicCharset(bytes) ?? own];
  if (/^(?:|zh.*)$/.test(language)) return ["gb18030", detectCyrillicCharset(bytes) ?? "windows-1252"];
  return [detectCyrillicCharset(bytes) ?? "windows-1252"];
}

/** Holds the usual charsets of languages that Latin-1 cannot write. Those of Cyrillic languages are detected from the bytes. */
const singleByte: Partial<Record<string, string>> = {
  cs: "windows-1250",
  hu: "windows-1250",
  pl: "windows-1250",
  el: "windows-1253",
  tr: "windows-1254",
  he: "windows-1255",
  ar: "windows-1256",
  th: "windows-874",
};

/** Detects the Cyrillic charset of a page by its bytes of 128 and above. Returns undefined when the page has few of them. */
function detectCyrillicCharset(bytes: Uint8Array): "windows-1251" | "koi8-r" | undefined {
  const words = Buffer.from(bytes.subarray(0, 200_000))
    .toString("latin1")
    .replace(/<(script|style)\b[\s\S]*?(?:<\/\1|$)|<[^>]*>|&\w+;/gi, " ");
  const high = words.match(/[\x80-\xff]/g)?.length ?? 0;
  const latin = words.match(/[a-z]/gi)?.length ?? 0;
  if (high < 8 || high < latin) return undefined;
  // Small letters are by far the most: the upper quarter has them in the one, the one below in the other.
  const upper = words.match(/[\xe0-\xff]/g)?.length ?? 0;
  const lower = words.match(/[\xc0-\xdf]/g)?.length ?? 0;
  if (upper + lower < 0.9 * high) return undefined;
  return upper > lower ? "windows-1251" : "koi8-r";
}

function readHead(bytes: Uint8Array): string {
  return new TextDecoder("latin1").decode(bytes.subarray(0, 4096));
}

/** Returns the standard name of a charset, or undefined for an unknown one. GBK is read as GB18030, which contains it. */
function findKnownCharset(name: string | undefined): string | undefined {
  try {
    const standard = name === undefined ? undefined : new TextDecoder(name).encoding;
    return standard === "gbk" ? "gb18030" : standard;
  } catch {
    return undefined;
  }
}

function decodeBytes(bytes: Uint8Array, charset: string): string {
  return new TextDecoder(charset).decode(bytes);
}

/**
 * Returns true when at most one in a hundred non-ASCII characters is broken. That is an error in the page and not the wrong
 * charset.
 */
function isMostlySound(text: string): boolean {
  const broken = text.match(/\ufffd/g)?.length ?? 0;
  if (broken === 0) return true;
  return broken * 100 <= (text.match(/[^\x00-\x7f]/g)?.length ?? 0);
}
