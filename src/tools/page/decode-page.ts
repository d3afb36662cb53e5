import { isUtf8 } from "node:buffer";

/**
 * The text of a page whose charset may be named, wrongly named or not named at all: a byte order mark wins, then what is
 * valid UTF-8 is that, then what the server or the page says holds if the bytes bear it out.
 */
export function decodePage(bytes: Uint8Array, charset: string | undefined): string {
  const marked = markOf(bytes);
  if (marked !== undefined) return decoded(bytes, marked);
  const named = [charset, charsetIn(bytes)].flatMap((name) => knownCharset(name) ?? []);
  const wide = named.find((name) => /^utf-16|^iso-2022/.test(name));
  if (wide !== undefined && (wide.startsWith("iso") || bytes.includes(0))) return decoded(bytes, wide);
  if (isUtf8(bytes)) return decoded(bytes, "utf-8");
  const candidates = [...named.filter((name) => name !== "utf-8"), "utf-8", ...guesses(bytes)];
  const readings = candidates.map((name) => decoded(bytes, name));
  return readings.find(isMostlySound) ?? readings.at(-1) ?? "";
}

/** Whether it can be no text in any charset that we know. */
export function isBinary(bytes: Uint8Array): boolean {
  const start = bytes.subarray(0, 8192);
  if (markOf(start) !== undefined) return false;
  const controls = start.filter((byte) => byte < 9 || (byte > 13 && byte < 27)).length;
  // UTF-16 without a mark has a zero at every second byte of Latin text.
  const [even, odd] = [0, 1].map((parity) => start.filter((byte, index) => byte === 0 && index % 2 === parity).length);
  const isWide = (even === 0) !== (odd === 0);
  return !isWide && controls > start.length * 0.02;
}

function markOf(bytes: Uint8Array): string | undefined {
  const [first, second, third] = bytes;
  if (first === 0xef && second === 0xbb && third === 0xbf) return "utf-8";
  if (first === 0xff && second === 0xfe) return "utf-16le";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  return undefined;
}

/** What the page says of itself: `<meta charset>`, its `http-equiv` form, or the XML declaration. */
function charsetIn(bytes: Uint8Array): string | undefined {
  const start = headOf(bytes);
  const declared =
    /<meta\b[^>]{0,300}?charset\s*=\s*["']?\s*([\w:.-]{2,40})/i.exec(start) ??
    /^\s*<\?xml\b[^>]{0,200}?encoding\s*=\s*["']([\w:.-]{2,40})/i.exec(start);
  return declared?.[1];
}

/** The usual charsets of the language that the page names, else of Chinese pages. */
function guesses(bytes: Uint8Array): string[] {
  const language = /<html\b[^>]{0,300}?\blang\s*=\s*["']?([\w-]{2,20})/i.exec(headOf(bytes))?.[1]?.toLowerCase() ?? "";
  if (language.startsWith("ja")) return ["shift_jis", "euc-jp"];
  if (language.startsWith("ko")) return ["euc-kr"];
  if (/^zh-(?:tw|hk|mo|hant)/.test(language)) return ["big5", "gb18030"];
  return /^(?:|zh.*)$/.test(language) ? ["gb18030", "windows-1252"] : ["windows-1252"];
}

function headOf(bytes: Uint8Array): string {
  return new TextDecoder("latin1").decode(bytes.subarray(0, 4096));
}

/** The standard's name; undefined for one that it does not know. GBK is read as GB18030, which holds it. */
function knownCharset(name: string | undefined): string | undefined {
  try {
    const standard = name === undefined ? undefined : new TextDecoder(name).encoding;
    return standard === "gbk" ? "gb18030" : standard;
  } catch {
    return undefined;
  }
}

function decoded(bytes: Uint8Array, charset: string): string {
  return new TextDecoder(charset).decode(bytes);
}

/** At most one character in a hundred that are not ASCII is broken: a slip in the page, not the wrong charset. */
function isMostlySound(text: string): boolean {
  const broken = text.match(/\ufffd/g)?.length ?? 0;
  if (broken === 0) return true;
  return broken * 100 <= (text.match(/[^\x00-\x7f]/g)?.length ?? 0);
}
