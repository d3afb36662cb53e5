import { decodePage } from "../page/decode-page.ts";
import { cleanText } from "../page/page.ts";
import { type DocumentKind, type DocumentResult, longestText } from "./document.ts";

export interface DocumentBytes {
  kind: DocumentKind;
  bytes: Uint8Array;
}

/** Reads a document. The parts that this takes are heavy, and may take long or break on a hostile file: it runs in a child process. */
export async function readKind({ kind, bytes }: DocumentBytes): Promise<DocumentResult> {
  switch (kind) {
    case "pdf":
      return readPdfDocument(bytes);
    case "word":
      return toResult(await (await import("./read-word.ts")).readWord(bytes));
    case "excel":
      return toResult(await (await import("./read-excel.ts")).readExcel(bytes));
    case "text":
      return toResult(cleanText(decodePage(bytes, undefined)));
  }
}

async function readPdfDocument(bytes: Uint8Array): Promise<DocumentResult> {
  const { readPdf } = await import("../page/read-pdf.ts");
  const reading = await readPdf({ kind: "pdf", bytes, charset: undefined, url: "", truncated: false });
  if ("page" in reading) return { ...toResult(reading.page.text), pages: reading.page.pages };
  if (reading.problem === "scanned" || reading.problem === "encrypted") return { problem: reading.problem };
  return { problem: "broken" };
}

/** Takes undefined for a document that cannot be read. */
function toResult(text: string | undefined): DocumentResult {
  if (text === undefined) return { problem: "broken" };
  if (text.trim() === "") return { problem: "empty" };
  return { text: text.slice(0, longestText), characters: text.length };
}
