import { cleanLine, cleanText } from "./clean-text.ts";
import { decodePage, isBinary } from "./decode-page.ts";
import type { PageBytes, Reading } from "./page-kind.ts";

/** More of one page is not kept: a conversation holds several. */
const longestText = 2_000_000;

/** Reads a page of any kind. The parts that this takes are heavy, and are imported when first needed. */
export async function readBytes(page: PageBytes): Promise<Reading> {
  const reading = await readKind(page);
  if (!("page" in reading) || reading.page.text.length <= longestText) return reading;
  return { page: { ...reading.page, text: reading.page.text.slice(0, longestText), truncated: true } };
}

async function readKind(page: PageBytes): Promise<Reading> {
  const { kind, bytes, charset } = page;
  if (kind === "pdf") return (await import("./read-pdf.ts")).readPdf(page);
  if (isBinary(bytes)) return { problem: "binary" };
  const source = decodePage(bytes, charset);
  if (kind === "html") return (await import("./html/read-html.ts")).readHtml(source, page);
  const text = cleanText(kind === "markdown" ? withoutComments(source) : source);
  if (text === "") return { problem: "empty" };
  const title = kind === "markdown" ? cleanLine(/^# +(.{1,300})$/m.exec(text)?.[1]) : "";
  return { page: { title, byline: "", published: "", description: "", text, truncated: page.truncated } };
}

/** A reader of the rendered page does not see them. */
function withoutComments(markdown: string): string {
  return markdown.replace(/<!--[\s\S]*?(?:-->|$)/g, "");
}
