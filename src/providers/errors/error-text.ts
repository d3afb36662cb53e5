import { sanitizeLine } from "../../kit/text/sanitize.ts";

/** Characters of a stranger's words that are shown. */
const longestShown = 300;
/** The shortest piece of a key that is looked for: shorter ones are ordinary words. */
const shortestPiece = 8;

/** A stranger's words, fit to be shown: one line, no control characters, no secrets, not long. */
export function toErrorText(text: string, key: string | undefined): string {
  const line = sanitizeLine(withoutSecrets(text.slice(0, 4000), key ?? ""));
  return line.length > longestShown ? `${line.slice(0, longestShown).toWellFormed()}…` : line;
}

function withoutSecrets(text: string, key: string): string {
  return [...keyForms(key), ...patterns].reduce(
    (rest, [secret, instead]) => rest.replaceAll(secret, instead),
    withoutPieces(text, key),
  );
}

type Replacement = [secret: string | RegExp, instead: string];

function keyForms(key: string): Replacement[] {
  if (key.length < 4) return [];
  const end = key.slice(-4);
  const forms = [key, encodeURIComponent(key), Buffer.from(key).toString("base64"), `...${end}`, `…${end}`];
  return forms.map((form) => [form, "***"]);
}

/** Vendors show the start or the end of the key that they refuse; a long enough piece of it is the key to us. */
function withoutPieces(text: string, key: string): string {
  let out = "";
  for (let start = 0; start < text.length; ) {
    const length = key.length < shortestPiece ? 0 : pieceAt(text, start, key);
    out += length > 0 ? "***" : text.charAt(start);
    start += length || 1;
  }
  return out;
}

/** How much of the key stands at `start`, from anywhere in the key; 0 for less than a piece. */
function pieceAt(text: string, start: number, key: string): number {
  let length = shortestPiece;
  if (start + length > text.length || !key.includes(text.slice(start, start + length))) return 0;
  while (start + length < text.length && key.includes(text.slice(start, start + length + 1))) length++;
  return length;
}

const patterns: Replacement[] = [
  [/\b(Bearer|Basic)\s+[^\s"',;<>]+/gi, "$1 ***"],
  // A masked key still tells its start and its end.
  [/[\w.+/=-]*\*{3,}[\w.*+/=-]*/g, "***"],
  [/\b(sk|pk|key|xai|gsk|tvly)[-_][\w-]{0,8}(\.{3}|…)[\w-]{2,8}/g, "***"],
  [/\b(sk|pk|xai|tvly)-[\w-]{12,}/g, "$1-***"],
  [/\b(gsk|hf|ghp|gho|ghs|ghu)_\w{12,}/g, "$1_***"],
  [/\b(AIza|AKIA|LTAI)[\w-]{12,}/g, "$1***"],
  [/\beyJ[\w-]{8,}\.[\w-]{8,}(\.[\w-]*)?/g, "***"],
  [/(:\/\/)[^\s/@:]*:[^\s/@]*@/g, "$1***@"],
  [/([?&;](?:api[_-]?)?(?:key|token|secret|sig|signature|password|access_token|code)=)[^\s&#"'<>]+/gi, "$1***"],
  [/((?:x-)?api[_-]key|access[_-]token|password|secret)(["']?\s*[:=]\s*["']?)[^\s"',}&]{4,}/gi, "$1$2***"],
];
