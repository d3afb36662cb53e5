/** Every escape sequence that the program may write to a terminal. */
const ourSequences: readonly RegExp[] = [
  /\u001b\[[0-9;]*m/, // looks (SGR)
  /\u001b\[[0-9]*[ABCDG]/, // the cursor within its lines
  /\u001b\[[0-9;]*H/, // the cursor on the screen
  /\u001b\[[0-3]?[JK]/, // erase
  /\u001b\[\?(?:25|7|2026|2004|1004)[hl]/, // cursor shown, wrap, synchronized output, bracketed paste, focus
  /\u001b\[>1u/, // kitty keyboard on
  /\u001b\[<1?u/, // and off
  /\u001b\[>4(?:;[0-3])?m/, // modifyOtherKeys
  /\u001b\[2[23];2t/, // the window's title kept, and given back
  /\u001b\]2;● Duet: [^\u0000-\u001f\u007f-\u009f]*\u001b\\/, // and replaced
  /\u001b\]8;[!-:<-~]*;[!-~]*\u001b\\/, // links (OSC 8), on and off
];

const ours = new RegExp(ourSequences.map(({ source }) => source).join("|"), "g");
// As core/printable.ts: controls, formatting, private, invisible, lone halves, line separators; what emoji are made of stays.
const unprintable =
  /(?![\r\n\t\u200d]|[\ufe0e\ufe0f])[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Default_Ignorable_Code_Point}\u2028\u2029\u2800]/u;

/** Throws on any byte that is not printable UTF-8, a line end, a tab or part of a sequence of ours. */
export function onlyOurSequences(bytes: Uint8Array): void {
  const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  // A mark in place of each: what stands around one must not become another.
  const rest = text.replace(ours, "\u0007");
  const foreign = unprintable.exec(rest.replaceAll("\u0007", " "));
  if (!foreign && !text.includes("\u0007")) return;
  const at = foreign?.index ?? rest.indexOf("\u0007");
  const around = rest.replaceAll("\u0007", "·").slice(Math.max(0, at - 60), at + 40);
  throw new Error(`The terminal was sent ${JSON.stringify(foreign?.[0] ?? "\u0007")} in ${JSON.stringify(around)}`);
}
