import { getDocumentProxy } from "unpdf";
import { isRecord } from "../../kit/json.ts";
import { cleanLine, cleanText, type PageBytes, type PageProblem, type PageResult } from "./page.ts";

const mostPages = 200;
/** After this time, in milliseconds, no further page is started, so that what was read is not lost. */
const longestReading = 7000;

export async function readPdf({ bytes, truncated }: PageBytes): Promise<PageResult> {
  const started = performance.now();
  const opened = await open(bytes);
  if ("problem" in opened) return opened;
  const { pdf } = opened;
  const texts: string[] = [];
  for (let number = 1; number <= Math.min(pdf.numPages, mostPages); number++) {
    if (performance.now() - started > longestReading) break;
    const page = await pdf.getPage(number);
    const { items } = await page.getTextContent();
    texts.push(items.map((item) => ("str" in item ? item.str + (item.hasEOL ? "\n" : "") : "")).join(""));
    page.cleanup();
  }
  const text = cleanText(texts.join("\n\n"));
  if (text === "") return { problem: "scanned" };
  const { Title, Author } = await readMetadata(pdf);
  return {
    page: {
      title: cleanLine(Title, 300),
      byline: cleanLine(Author, 200),
      published: "",
      description: "",
      text,
      pages: { all: pdf.numPages, read: texts.length },
      truncated,
    },
  };
}

type Pdf = Awaited<ReturnType<typeof getDocumentProxy>>;

async function open(bytes: Uint8Array): Promise<{ pdf: Pdf } | PageProblem> {
  try {
    return { pdf: await getDocumentProxy(bytes, { verbosity: 0 }) };
  } catch (thrown) {
    const isLocked = thrown instanceof Error && thrown.name === "PasswordException";
    return { problem: isLocked ? "encrypted" : "broken-pdf" };
  }
}

/** Returns the metadata of a PDF. */
async function readMetadata(pdf: Pdf): Promise<Record<string, unknown>> {
  const { info }: { info: unknown } = await pdf.getMetadata();
  return isRecord(info) ? info : {};
}
