import { DuetError } from "../../kit/errors.ts";
import { type Locale, say, type Text } from "../../kit/locale.ts";
import type { HeavyWork } from "../workers/heavy-work.ts";
import {
  type DocumentKind,
  type DocumentProblem,
  type DocumentResult,
  findDocumentKind,
  isDocumentKind,
  longestDocument,
  longestUnpacked,
  mostParts,
} from "./document.ts";
import { readKind } from "./read-kind.ts";

/** Holds what a document says, for a model. */
export interface ReadDocument {
  kind: DocumentKind;
  text: string;
}

export interface DocumentReading {
  work: HeavyWork;
  /** Selects the language of what is added to the text. */
  locale: Locale;
  signal: AbortSignal;
}

/**
 * Reads what a PDF, a Word or Excel file or a text says, in a child process with limits of time and memory. Throws a `DuetError`
 * of one line for any other file and for one that cannot be read, and the signal's reason.
 */
export async function readDocument(
  bytes: Uint8Array,
  { work, locale, signal }: DocumentReading,
): Promise<ReadDocument> {
  if (bytes.length > longestDocument) throw new DocumentError("too-large");
  const kind = findDocumentKind(bytes);
  if (!isDocumentKind(kind)) throw new DocumentError(kind);
  const isQuick = kind === "text" && bytes.length <= quickText;
  const result = isQuick ? await readKind({ kind, bytes }) : await work.run("document", { kind, bytes }, signal);
  if ("problem" in result) throw new DocumentError(result.problem);
  const notes = describeRest(result).map((note) => `(${say(locale, note)})`);
  return { kind, text: [...notes, result.text].join("\n\n") };
}

function describeRest({ text, pages, characters }: Exclude<DocumentResult, { problem: unknown }>): Text[] {
  const notes: Text[] = [];
  if (pages && pages.read < pages.all)
    notes.push({
      zh: `${pages.all} 页中的前 ${pages.read} 页`,
      en: `the first ${pages.read} of ${pages.all} pages`,
    });
  if (text.length < characters)
    notes.push({
      zh: `${characters} 个字符中的前 ${text.length} 个`,
      en: `the first ${text.length} of ${characters} characters`,
    });
  return notes;
}

/** Says which problem keeps a document from being read. */
export class DocumentError extends DuetError {
  readonly problem: DocumentProblem;

  constructor(problem: DocumentProblem) {
    const { zh, en } = describeDocumentProblem(problem);
    super({ code: "tool", text: { zh: `文件${zh}`, en: `the file ${en}` } });
    this.problem = problem;
  }
}

/** Says in one line why a file is not read, and what is allowed. The name of the file comes before it. */
export function describeDocumentProblem(problem: DocumentProblem): Text {
  return texts[problem];
}

/** Limits a text that is read in this process, in bytes. */
const quickText = 200_000;

const toMegabytes = (bytes: number): string => `${bytes / 1_000_000} MB`;

const texts: Readonly<Record<DocumentProblem, Text>> = {
  "too-large": {
    zh: `太大（允许：最多 ${toMegabytes(longestDocument)}）`,
    en: `is too large (allowed: at most ${toMegabytes(longestDocument)})`,
  },
  expands: {
    zh: `解压后太大（允许：最多 ${toMegabytes(longestUnpacked)}、${mostParts} 个部分）`,
    en: `unpacks to too much (allowed: at most ${toMegabytes(longestUnpacked)} in ${mostParts} parts)`,
  },
  encrypted: {
    zh: "有密码保护（允许：没有密码的文件）",
    en: "is protected by a password (allowed: files without one)",
  },
  "old-office": {
    zh: "是旧的 Office 格式（允许：.docx、.xlsx；请另存为新格式）",
    en: "is in an old Office format (allowed: .docx, .xlsx; save it as one of these)",
  },
  slides: {
    zh: "是演示文稿（允许：图片、PDF、.docx、.xlsx、文本；请导出为 PDF）",
    en: "is a presentation (allowed: images, PDF, .docx, .xlsx, text; export it as a PDF)",
  },
  archive: {
    zh: "是压缩包（允许：图片、PDF、.docx、.xlsx、文本）",
    en: "is an archive (allowed: images, PDF, .docx, .xlsx, text)",
  },
  unknown: {
    zh: "类型无法读取（允许：图片、PDF、.docx、.xlsx、文本）",
    en: "is of no type that can be read (allowed: images, PDF, .docx, .xlsx, text)",
  },
  broken: { zh: "已损坏，无法读取", en: "is damaged and cannot be read" },
  scanned: { zh: "没有文字（可能是扫描的 PDF）", en: "has no text; the PDF may be a scan" },
  empty: { zh: "没有文字", en: "has no text" },
};
