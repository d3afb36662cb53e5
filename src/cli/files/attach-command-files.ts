import type { AskRequest } from "../../app/ask/ask-request.ts";
import { listProtectedFiles } from "../../app/tools/protected-files.ts";
import type { Attachment } from "../../core/attachment.ts";
import { DuetError } from "../../kit/errors.ts";
import type { Text } from "../../kit/locale.ts";
import { longestDocument } from "../../tools/documents/document.ts";
import { createFileGuard } from "../../tools/files/file-guard.ts";
import { attachNamed } from "../terminal/editor/files/attach-files.ts";
import type { Folders } from "../terminal/editor/files/complete-files.ts";
import type { DuetContext } from "../with-duet.ts";

export interface CommandFiles extends Folders, Pick<DuetContext, "config" | "console" | "signal"> {}

/**
 * Reads the files of `--file`, of which `-` is what stdin holds. Throws a `config` error of one line for the first that cannot be
 * attached.
 */
export async function attachCommandFiles(
  question: string,
  names: readonly string[],
  { config, console, signal, ...folders }: CommandFiles,
): Promise<Pick<AskRequest, "question" | "attachments">> {
  const piped = names.includes("-") ? [await readStdin(console.stdin)] : [];
  const guard = createFileGuard(await listProtectedFiles(config));
  const named = names.filter((name) => name !== "-");
  const { locale } = config;
  const {
    problems,
    attachments,
    question: whole,
  } = await attachNamed(question, named, { ...folders, locale, guard, signal });
  const [problem] = problems;
  if (problem) throw fileError(problem);
  return { question: whole, attachments: [...attachments, ...piped] };
}

async function readStdin(stdin: NodeJS.ReadStream): Promise<Attachment> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stdin) {
    chunks.push(Buffer.from(chunk));
    size += chunk.length;
    if (size > longestDocument) throw fileError(describeTooLong());
  }
  if (size === 0) throw fileError(empty);
  return { bytes: Buffer.concat(chunks) };
}

function fileError({ zh, en }: Text): DuetError {
  return new DuetError({ code: "config", text: { zh: `--file：${zh}`, en: `--file: ${en}` } });
}

function describeTooLong(): Text {
  const megabytes = longestDocument / 1_000_000;
  return {
    zh: `标准输入太大（允许：最多 ${megabytes} MB）`,
    en: `stdin is too large (allowed: at most ${megabytes} MB)`,
  };
}

const empty: Text = {
  zh: "标准输入是空的（允许：一个文件的内容）",
  en: "stdin is empty (allowed: the content of a file)",
};
