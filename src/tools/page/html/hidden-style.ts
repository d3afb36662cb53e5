/** A style as it works, to be looked at: in lower case, without comments, escapes and spaces, each declaration ended by a semicolon. */
export function normalizeStyle(style: string): string {
  const plain = style
    .slice(0, 5000)
    .replace(/\/\*[\s\S]*?(?:\*\/|$)/g, "")
    .replace(/\\([\da-f]{1,6})\s?|\\([^\n])/gi, (_, code: string | undefined, character: string | undefined) =>
      code === undefined ? (character ?? "") : String.fromCodePoint(Math.min(Number.parseInt(code, 16), 0x10ffff)),
    )
    .toLowerCase()
    .replace(/\s+/g, "");
  return plain === "" ? "" : `;${plain};`;
}

/** Whether the style closes a part of the page, as what opens at a click begins. Takes a plain style. */
export function isClosed(style: string): boolean {
  if (/;(?:display:none|visibility:(?:hidden|collapse)|content-visibility:hidden)/.test(style)) return true;
  return /;(?:max-)?height:0(?:px)?[;!]/.test(style) && /;overflow(?:-[xy])?:(?:hidden|clip)/.test(style);
}

/** Whether the style fades a part of the page out, as what moves in at a scroll begins. Takes a plain style. */
export function isFaded(style: string): boolean {
  if (!/;opacity:(?:0?\.?0+%?)[;!]/.test(style)) return false;
  return !/transition|animation|transform|will-change/.test(style);
}

/** Whether the style keeps text in the page that no reader sees. Takes a plain style. */
export function isDisguised(style: string): boolean {
  if (disguise.test(style) || farAway.test(style)) return true;
  if (/;position:(?:absolute|fixed)/.test(style) && (away.test(style) || /;clip:rect\(/.test(style))) return true;
  return /;(?:max-)?(?:height|width):[01](?:px)?[;!]/.test(style) && /;overflow(?:-[xy])?:(?:hidden|clip)/.test(style);
}

const disguise =
  /;(?:font-size:(?:0|0?\.\d+|1)(?:px|pt|em|rem|%)?[;!]|text-indent:-\d{3,}|clip-path:inset\((?:50|100)%|(?:-webkit-text-fill-)?color:(?:transparent|(?:rgb|hsl)a?\((?:(?:[^,)]*,){3}|[^)]*\/)0?\.?0*%?\)[;!]|#(?:[\da-f]{3}0|[\da-f]{6}00)[;!])|transform:[^;]*scale\(0|filter:[^;]*opacity\(0?\.?0*%?\))/;
const away = /;(?:left|right|top|bottom|inset[a-z-]*):-\d{3,}/;
const farAway =
  /;(?:left|right|top|bottom|margin(?:-left|-top)?|transform:[^;]*translate(?:[xy3]d?)?\([^;]*?|translate):?(?:0(?:px)?,)?-(?:(?:9\d\d|\d{4,})(?:\.\d+)?(?:px)?|\d{2,}(?:\.\d+)?r?em|[2-9]\d{2,}(?:vw|vh|%))[;!,)]/;
