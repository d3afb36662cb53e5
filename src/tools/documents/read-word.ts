import mammoth from "mammoth";
import { toMarkdown } from "../page/html/markdown.ts";
import { parsePage } from "../page/html/parse-page.ts";

/** Returns a Word document as Markdown, without its pictures, or undefined where it cannot be read. */
export async function readWord(bytes: Uint8Array): Promise<string | undefined> {
  const html = await toHtml(bytes);
  if (html === undefined) return undefined;
  return toMarkdown(parsePage(html, "about:blank", "generous").document.body);
}

async function toHtml(bytes: Uint8Array): Promise<string | undefined> {
  try {
    const convertImage = mammoth.images.imgElement(async () => ({ src: "" }));
    // It never opens what a document refers to outside itself.
    const { value } = await mammoth.convertToHtml({ buffer: Buffer.from(bytes) }, { convertImage, styleMap });
    return value;
  } catch {
    return undefined;
  }
}

/** Without these a title is text like any other. */
const styleMap = ["p[style-name='Title'] => h1:fresh", "p[style-name='Subtitle'] => h2:fresh"];
