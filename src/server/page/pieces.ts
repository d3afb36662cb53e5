/** A piece of an answer's text. */
export type Piece =
  | { readonly kind: "text" | "strong" | "code"; readonly text: string }
  | { readonly kind: "cite"; readonly n: number };

/** An answer's paragraphs. What stands between fences of code stays together. */
export function paragraphsOf(answer: string): string[] {
  const parts = answer.split(/^(```[^\n]*\n[\s\S]*?(?:^```[^\n]*$|$(?![\s\S])))/m);
  return parts
    .flatMap((part) => (part.startsWith("```") ? [part] : part.split(/\n{2,}/)))
    .filter((part) => part.trim() !== "");
}

/** What little of Markdown is shown as such: bold, code, headings as bold lines, numbers of sources. */
export function piecesOf(paragraph: string): Piece[] {
  const fenced = /^```[^\n]*\n([\s\S]*?)\n?(?:```\s*)?$/.exec(paragraph);
  if (fenced) return [{ kind: "code", text: fenced[1] ?? "" }];
  const marks = /^#{1,6} +(.+)$|\*\*([^*\n]+)\*\*|`([^`\n]+)`|\[(\d{1,4})\]/gm;
  const pieces: Piece[] = [];
  let from = 0;
  for (const match of paragraph.matchAll(marks)) {
    pieces.push({ kind: "text", text: paragraph.slice(from, match.index) }, pieceOf(match));
    from = match.index + match[0].length;
  }
  pieces.push({ kind: "text", text: paragraph.slice(from) });
  return pieces.filter((piece) => piece.kind === "cite" || piece.text !== "");
}

function pieceOf([, heading, strong, code, n]: RegExpExecArray): Piece {
  if (n !== undefined) return { kind: "cite", n: Number(n) };
  if (code !== undefined) return { kind: "code", text: code };
  return { kind: "strong", text: (heading ?? strong ?? "").replaceAll("**", "") };
}
