import { decodePage, isBinary } from "./decode-page.ts";
import { cleanLine, cleanText, type PageBytes, type PageResult } from "./page.ts";

/** Limits the text that is kept of one page, in characters, because a conversation holds several pages. */
const longestText = 2_000_000;

/** Reads a page of any kind. The parts that this takes are heavy, and are imported when first needed. */
export async function readBytes(page: PageBytes): Promise<PageResult> {
  const reading = await readKind(page);
  if (!("page" in reading) || reading.page.text.length <= longestText) return reading;
  return { page: { ...reading.page, text: reading.page.text.slice(0, longestText), truncated: true } };
}

async function readKind(page: PageBytes): Promise<PageResult> {
  const { kind, bytes, charset } = page;
  if (kind === "pdf") return (await import("./read-pdf.ts")).readPdf(page);
  if (isBinary(bytes)) return { problem: "binary" };
  const source = decodePage(bytes, charset);
  if (kind === "html") return (await import("./html/read-html.ts")).readHtml(source, page);
  const text = cleanText(kind === "markdown" ? removeComments(source) : source);
  if (text === "") return { problem: "empty" };
  const title = kind === "markdown" ? cleanLine(/^# +(.{1,300})$/m.exec(text)?.[1]) : "";
  return { page: { title, byline: "", published: "", description: "", text, truncated: page.truncated } };
}

/** Removes HTML comments, which a reader of the rendered page does not see. */
function removeComments(markdown: string): string {
  return markdown.replace(/<!--[\s\S]*?(?:-->|$)/g, "");
}
